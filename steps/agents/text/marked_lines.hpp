// Quotes an untrusted text: a mark begins each of its lines after the first, for any kind of line break. Else a line
// could look like one outside the quotation.
#pragma once
#include <string>
#include <string_view>

namespace weft::agents {
/// "\n", "\r\n", "\r", "\v", "\f", U+0085, U+2028 and U+2029 end a line; each of these becomes "\n".
std::string marked_lines(std::string_view text, std::string_view mark);
}
