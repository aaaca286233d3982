// Parses the path and the query of a request.
//
//     const auto target = parse_target("/events/a%2Fb?sse=false&status=failed&status=cancelled");
//     target->path;            // {"events", "a/b"}
//     target->first("sse");    // "false"
//
// The parser splits the path at its slashes before it decodes the parts, so that no id becomes a part of another path.
// It drops a parameter without a value, since clients send one for an unset value. The name of a list, such as
// status[]=a or status[0]=a of axios and PHP, is status.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::server {
struct Target {
    std::vector<std::string> path;
    std::vector<std::pair<std::string, std::string>> query;
    const std::string* first(std::string_view name) const;  // null if it is missing
    std::vector<std::string> all(std::string_view name) const;
};
/// std::nullopt for an invalid target: `%` without two hex digits, invalid UTF-8, control characters, more than 16
/// parts or 64 parameters.
std::optional<Target> parse_target(std::string_view);
}
