// Where a server of workflows listens, and whether that is safe: the same for `weft serve` and `weft mcp`.
//
//     check_address(options.host, options.guard, options.without_token);     // throws Error{configuration}
//     check_pair(options.certificate, options.key);
//     add_own_host(options.guard, options.host);
//     const auto url = url_of(options.host, port, !options.certificate.empty());     // "http://127.0.0.1:8080"
//
// The sentences name the options of the driver. Pure.
#pragma once
#include "workflows/server/guard/guard.hpp"

namespace weft::server {
/// It has to be an address, and one that others reach needs tokens, unless `without_token` says that it does not.
/// Tokens have to be long.
void check_address(const std::string& host, const GuardOptions&, bool without_token);
/// For TLS: both or none.
void check_pair(const std::string& certificate, const std::string& key);
/// Requests may name the server by its address.
void add_own_host(GuardOptions&, const std::string& host);
/// A program on this machine gets there by it.
std::string url_of(const std::string& host, std::uint16_t port, bool tls);
}
