// Reads the lines of a file whose lengths are not known.
#pragma once
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace weft {
/// The way in which a line ended: by a newline, by the end of the file, by exceeding its limit, or by a failed read.
enum class LineEnd : std::uint8_t { newline, file_end, too_long, unreadable };
/// Reads one line, without its newline, into `line`. An empty line that ends by file_end: the file had no further one.
/// At most `longest` bytes and 64 KiB are in memory.
LineEnd read_line(std::istream&, std::string& line, std::size_t longest);
}
