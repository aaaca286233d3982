// Addresses of servers: http and https, strictly read; and what %XX in a part of one stands for.
//
//     Url base = parse_url("https://api.openai.com/v1");
//     Url url = base / "chat/completions";
//
// What is not plainly such an address is refused with Error{configuration}: other schemes, user names and passwords
// (they end up in logs), controls and blanks, ports out of range, fragments, anything longer than 2000 bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::net {
struct Url {
    bool tls = false;
    std::string host;  // lower case; of [::1] it is ::1
    std::uint16_t port = 80;
    std::string target = "/";  // path and query

    bool operator==(const Url&) const = default;
    std::string authority() const;  // host and port for the Host header: the scheme's own port is left out
    std::string origin() const;     // scheme and authority, for people
    std::string text() const { return origin() + target; }
};
Url parse_url(std::string_view text);
/// One level further down, with one slash between. A query of the base stays at the end, behind one of the path.
Url operator/(const Url& base, std::string_view path);

/// With the byte that each %XX stands for, whatever it is. Nothing if a '%' has no two digits.
std::optional<std::string> percent_decoded(std::string_view);
/// The same, except that such a '%' stays as it is.
std::string percent_decoded_leniently(std::string_view);
}
