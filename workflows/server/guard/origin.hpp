// Hosts and origins as browsers write them, so that what an operator has given is compared with what is sent.
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
/// Throws Error{configuration} for what is no origin, or none that a browser ever sends.
std::string normal_origin(std::string_view);
/// The form of a host that requests may name; a port is left out. Throws Error{configuration} for a text that is none.
std::string normal_host(std::string_view);
/// The name in a Host header, without its port; nothing if it is malformed.
std::optional<std::string> host_name_in(std::string_view header);
/// Whether a page of the server itself sends this origin. Whether it came over TLS is not known: a proxy may stand
/// before the server.
bool is_origin_of(std::string_view origin, std::string_view host_header);
}
