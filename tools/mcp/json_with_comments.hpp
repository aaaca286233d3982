// JSON as people keep it in configurations: with comments, and with a comma behind the last of several.
//
//     auto value = parse_json(without_comments(text));
#pragma once
#include <string>
#include <string_view>

namespace weft::tools::mcp {
/// The text with blanks for // and /* */ comments and for commas before a closing bracket, so that each place in it
/// stays where it is. Nothing inside of a text changes.
std::string without_comments(std::string_view text);
}
