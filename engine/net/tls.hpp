// Which certificates we trust, and how they are checked. No option turns that off.
//
// TLS 1.2 or later; the server's certificate must lead to a known authority and be made out to the host that we asked
// for, by an alternative name: the common name counts for nothing. Keys below 2048 bits of RSA and SHA-1 are too weak.
// The authorities come from SSL_CERT_FILE and SSL_CERT_DIR, else from where OpenSSL and the usual systems keep
// them, looked up when the program runs: a binary that moves to another machine finds that machine's.
#pragma once
#include <boost/asio/ssl/context.hpp>
#include <string>

namespace weft::net {
/// Throws Error{configuration} if SSL_CERT_FILE or SSL_CERT_DIR names something unusable, or nothing is found.
boost::asio::ssl::context make_client_tls();
/// For a server, with its certificate and those that lead to its authority, and its key, in files in PEM form. Throws
/// Error{configuration} that names the file.
boost::asio::ssl::context make_server_tls(const std::string& certificate, const std::string& key);
/// Before the handshake: the name that the server is told and that its certificate must bear.
void expect_host(SSL*, const std::string& host);
/// After a failed handshake: what is wrong with the certificate; empty if the certificate was not the reason.
std::string certificate_problem(SSL*);
/// The handshake failed because the answer was no TLS: trying again does not help.
bool is_no_tls(const boost::system::error_code&);
/// The handshake failed because the server offers nothing that we accept: trying again does not help.
bool is_old_tls(const boost::system::error_code&);
}
