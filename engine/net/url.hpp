// Parses addresses of servers strictly: http and https. Decodes %XX in their parts.
//
//     Url base = parse_url("https://api.openai.com/v1");
//     Url url = base / "chat/completions";
//
// Anything else throws Error{configuration}: other schemes, user names and passwords (they would reach logs), control
// characters and blanks, ports out of range, fragments, addresses longer than 2000 bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net {
struct Url {
    bool tls = false;
    std::string host;  // lower case; ::1 for [::1]
    std::uint16_t port = 80;
    std::string target = "/";  // path and query

    bool operator==(const Url&) const = default;
    std::string authority() const;  // host and port for the Host header, without the scheme's default port
    std::string origin() const;     // scheme and authority, for people
    std::string text() const { return origin() + target; }
};
Url parse_url(std::string_view text);
/// Appends a path, with one slash between. The base's query stays at the end, behind the path's own.
Url operator/(const Url& base, std::string_view path);

/// Replaces each %XX by its byte. nullopt if a '%' lacks its two digits.
std::optional<std::string> percent_decoded(std::string_view);
/// The same, but such a '%' stays as it is.
std::string percent_decoded_leniently(std::string_view);
}
