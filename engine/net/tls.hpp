// Loads the trusted certificates and checks servers by them. No option disables the check.
//
// TLS 1.2 or later. The server's certificate must lead to a known authority and have the requested host as an
// alternative name; the common name is ignored. RSA keys below 2048 bits and SHA-1 are refused. The authorities come
// from SSL_CERT_FILE and SSL_CERT_DIR, else from the usual places of OpenSSL and the systems. They are searched at run
// time, so a binary uses the certificates of its machine.
#pragma once
#include <boost/asio/ssl/context.hpp>
#include <string>

namespace weft::net {
/// Throws Error{configuration} if SSL_CERT_FILE or SSL_CERT_DIR is unusable, or no certificates are found.
boost::asio::ssl::context make_client_tls();
/// Returns the file or folder of the trusted certificates. Throws as make_client_tls does.
std::string trusted_place();
/// Makes a server's context from PEM files: its certificate with the chain to its authority, and its key. Throws
/// Error{configuration} that names the file.
boost::asio::ssl::context make_server_tls(const std::string& certificate, const std::string& key);
/// Call before the handshake: sets the name that is sent to the server, and that its certificate must have.
void expect_host(SSL*, const std::string& host);
/// Call after a failed handshake: returns the certificate's problem; empty if the certificate is not the cause.
std::string certificate_problem(SSL*);
/// True if the answer to the handshake was not TLS: a retry does not help.
bool is_no_tls(const boost::system::error_code&);
/// True if the server supports no acceptable TLS: a retry does not help.
bool is_old_tls(const boost::system::error_code&);
}
