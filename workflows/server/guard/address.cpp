// An IPv6 address needs brackets wherever a port may follow.
#include "workflows/server/guard/address.hpp"
#include "engine/error.hpp"
#include <boost/asio/ip/address.hpp>

namespace weft::server {
namespace {
constexpr std::size_t shortest_token = 16;

bool is_any(const std::string& host) { return host == "0.0.0.0" || host == "::"; }
std::string in_brackets(const std::string& host) {
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}
}
void check_address(const std::string& host, const GuardOptions& guard, bool without_token) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(host, error);
    if (error)
        throw Error(Code::configuration,
                    "\"" + host + "\" is not an address to listen on: write an address such as 127.0.0.1");
    if (!address.is_loopback() && guard.tokens.empty() && !without_token)
        throw Error(Code::configuration,
                    "everyone who reaches " + host +
                        " could run everything here: set a token, or allow access without a token");
    for (const auto& token : guard.tokens)
        if (token.size() < shortest_token)
            throw Error(Code::configuration, "a token needs at least 16 characters, so that it cannot be guessed");
}
void check_pair(const std::string& certificate, const std::string& key) {
    if (certificate.empty() != key.empty())
        throw Error(Code::configuration, "TLS needs both a certificate and its key");
}
void add_own_host(GuardOptions& guard, const std::string& host) {
    if (!is_any(host)) guard.hosts.push_back(in_brackets(host));
}
std::string url_of(const std::string& host, std::uint16_t port, bool tls) {
    return (tls ? "https://" : "http://") + (is_any(host) ? "127.0.0.1" : in_brackets(host)) + ":" +
           std::to_string(port);
}
}
