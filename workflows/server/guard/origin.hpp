// Converts hosts and origins to the form that browsers send, to compare them with an operator's.
//
//     normal_origin("https://App.example:443/");         // "https://app.example"
//     normal_origin("app.example");                      // throws Error{configuration}: no page sends that
//     is_origin_of("https://weft.example", "weft.example:443");     // true
//
// All functions are pure. Their messages name the driver's options.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace weft::server {
/// Throws Error{configuration} for a text that is not an origin, or not one that browsers send.
std::string normal_origin(std::string_view);
/// The name of a host without its port, as requests send it. Throws Error{configuration} for a text that is not a host.
std::string normal_host(std::string_view);
/// The name in a Host header, without its port; std::nullopt for a malformed header.
std::optional<std::string> host_name_in(std::string_view header);
/// Whether a page of the server itself sends this origin, with any scheme: a proxy in front may add TLS.
bool is_origin_of(std::string_view origin, std::string_view host_header);
}
