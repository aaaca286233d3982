// Converts hosts and origins to the form that browsers send, to compare them with an operator's.
//
//     normal_origin("https://App.example:443/");         // "https://app.example"
//     normal_origin("app.example");                      // throws Error{configuration}: no page sends that
//     is_origin_of("https://weft.example", "weft.example:443");     // true
//
// Pure. The sentences name the options of the driver.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace weft::server {
/// Throws Error{configuration} for a text that is not an origin, or not one that browsers send.
std::string normal_origin(std::string_view);
/// The form of a host that requests may name; a port is left out. Throws Error{configuration} for a text that is none.
std::string normal_host(std::string_view);
/// The name in a Host header, without its port; nothing if it is malformed.
std::optional<std::string> host_name_in(std::string_view header);
/// Whether a page of the server itself sends this origin, with any scheme: a proxy in front may add TLS.
bool is_origin_of(std::string_view origin, std::string_view host_header);
}
