// JSON for configuration files: with comments, and with a trailing comma.
//
//     auto value = parse_json(without_comments(text));
#pragma once
#include <string>
#include <string_view>

namespace weft::tools::mcp {
/// Replaces // and /* */ comments, and commas before a closing bracket, by blanks, so that each position stays the
/// same. Texts within quotes do not change.
std::string without_comments(std::string_view text);
}
