// Systems keep certificates in different places, so several are tried; a place that the user names must work.
#include "engine/net/tls.hpp"
#include "engine/error.hpp"
#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cstdlib>
#include <filesystem>
#include <openssl/x509v3.h>

namespace weft::net {
namespace {
namespace fs = std::filesystem;
namespace ssl = boost::asio::ssl;

constexpr std::array usual_files{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                 "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}
bool loads(SSL_CTX* context, const char* file, const char* folder) {
    const bool loaded = SSL_CTX_load_verify_locations(context, file, folder) == 1;
    ERR_clear_error();
    return loaded;
}
bool has_files(const char* folder) {
    std::error_code none;
    return fs::directory_iterator(folder, none) != fs::directory_iterator();
}
/// Returns the place of the authorities.
std::string load_authorities(SSL_CTX* context) {
    const char* file = variable(X509_get_default_cert_file_env());
    const char* folder = variable(X509_get_default_cert_dir_env());
    if (file && !loads(context, file, nullptr))
        throw Error(Code::configuration, "SSL_CERT_FILE names " + std::string(file) +
                                             ", which is not a readable file of certificates in PEM form");
    if (folder && (!fs::is_directory(folder) || !loads(context, nullptr, folder)))
        throw Error(Code::configuration, "SSL_CERT_DIR names " + std::string(folder) + ", which is not a folder");
    if (file || folder) return file ? file : folder;
    if (loads(context, X509_get_default_cert_file(), nullptr)) return X509_get_default_cert_file();
    for (const char* usual : usual_files)
        if (loads(context, usual, nullptr)) return usual;
    const char* usual_folder = X509_get_default_cert_dir();
    if (has_files(usual_folder) && loads(context, nullptr, usual_folder)) return usual_folder;
    throw Error(Code::configuration, "no certificates of authorities found on this machine, so no https server can be "
                                     "trusted: install ca-certificates, or name a file in SSL_CERT_FILE");
}
}

ssl::context make_client_tls() {
    ssl::context context(ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_security_level(context.native_handle(), 2);  // overrides the machine's openssl.cnf
    context.set_verify_mode(ssl::verify_peer);
    load_authorities(context.native_handle());
    return context;
}
std::string trusted_place() {
    ssl::context context(ssl::context::tls_client);
    return load_authorities(context.native_handle());
}
ssl::context make_server_tls(const std::string& certificate, const std::string& key) {
    ssl::context context(ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_security_level(context.native_handle(), 2);
    SSL_CTX_set_options(context.native_handle(), SSL_OP_NO_RENEGOTIATION);
    // Without this, OpenSSL would ask for a key's pass phrase at the terminal.
    SSL_CTX_set_default_passwd_cb(context.native_handle(), [](char*, int, int, void*) { return -1; });
    const auto refuse = [](const std::string& file, const char* what) {
        ERR_clear_error();
        throw Error(Code::configuration, file + what);
    };
    if (SSL_CTX_use_certificate_chain_file(context.native_handle(), certificate.c_str()) != 1)
        refuse(certificate, " is not a readable certificate in PEM form");
    if (SSL_CTX_use_PrivateKey_file(context.native_handle(), key.c_str(), SSL_FILETYPE_PEM) != 1)
        refuse(key, " is not a readable key in PEM form without a pass phrase that belongs to the certificate");
    if (SSL_CTX_check_private_key(context.native_handle()) != 1) refuse(key, " is not the key of the certificate");
    return context;
}
void expect_host(SSL* ssl, const std::string& host) {
    auto* expected = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(expected,
                                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(host, not_numeric);
    bool set = false;
    if (!not_numeric) set = X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1;
    else  // the standard forbids SNI with an address
        set = X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size()) == 1 &&
              SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
    if (!set) throw Error(Code::configuration, "TLS cannot check the host name " + host);
}
std::string certificate_problem(SSL* ssl) {
    const long result = SSL_get_verify_result(ssl);
    return result == X509_V_OK ? std::string() : X509_verify_cert_error_string(result);
}
/// Returns OpenSSL's reason code; 0 for other errors.
static int reason_of(const boost::system::error_code& error) {
    if (error.category() != boost::asio::error::get_ssl_category()) return 0;
    return ERR_GET_REASON(static_cast<unsigned long>(error.value()));
}
bool is_no_tls(const boost::system::error_code& error) { return reason_of(error) == SSL_R_WRONG_VERSION_NUMBER; }
bool is_old_tls(const boost::system::error_code& error) {
    const int reason = reason_of(error);
    return reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION ||
           reason == SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY || reason == SSL_R_NO_PROTOCOLS_AVAILABLE;
}
}
