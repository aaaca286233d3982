// The path and the query of a request, taken apart.
//
//     const auto target = parse_target("/events/a%2Fb?sse=false&status=failed&status=cancelled");
//     target->path;            // {"events", "a/b"}
//     target->first("sse");    // "false"
//
// A path is divided at its slashes before anything is decoded, so that no id becomes a part of another path. A
// parameter without a value is left out, since that is how clients write one that is not set. A list may be written as
// status[]=a or status[0]=a, as axios and PHP do: its name is status.
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
    const std::string* first(std::string_view name) const;  // null if it is not there
    std::vector<std::string> all(std::string_view name) const;
};
/// Nothing for what is none: `%` without two digits, what is no UTF-8, control characters, more than 16 parts or 64
/// parameters.
std::optional<Target> parse_target(std::string_view);
}
