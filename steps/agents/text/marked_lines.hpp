// A text of others, quoted: each of its lines after the first begins with a mark, whatever breaks the line. Else a line
// could pass for one that stands outside of the quotation.
#pragma once
#include <string>
#include <string_view>

namespace weft::agents {
/// A line ends at "\n", "\r\n", "\r", "\v", "\f", U+0085, U+2028 and U+2029; each of these becomes "\n".
std::string marked_lines(std::string_view text, std::string_view mark);
}
