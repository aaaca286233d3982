// Checks the address on which `weft serve` or `weft mcp` listens, and its safety.
//
//     check_address(options.host, options.guard, options.without_token);     // throws Error{configuration}
//     check_pair(options.certificate, options.key);
//     add_own_host(options.guard, options.host);
//     const auto url = url_of(options.host, port, !options.certificate.empty());     // "http://127.0.0.1:8080"
//
// All functions are pure. Their messages name the driver's options.
#pragma once
#include "workflows/server/guard/guard.hpp"

namespace weft::server {
/// Requires an address, and tokens for any address that other machines reach, unless `without_token`. Tokens have at
/// least 16 characters.
void check_address(const std::string& host, const GuardOptions&, bool without_token);
/// Requires both files for TLS, or neither.
void check_pair(const std::string& certificate, const std::string& key);
/// Allows requests that name the server by its address.
void add_own_host(GuardOptions&, const std::string& host);
/// The URL for programs on this machine.
std::string url_of(const std::string& host, std::uint16_t port, bool tls);
}
