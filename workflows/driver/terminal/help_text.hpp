// Help as it stands on a terminal: within its width, what is explained in its column.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::driver {
/// Paragraphs are filled anew. A line of two columns goes on in the second one; a command that is too long is divided
/// as a shell reads it, with a backslash.
std::string in_columns(std::string_view help, std::size_t columns);
}
