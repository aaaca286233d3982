// getline() with a limit of its own reads the line in parts.
#include "engine/text/read_line.hpp"
#include <array>

namespace weft {
LineEnd read_line(std::istream& in, std::string& line, std::size_t longest) {
    line.clear();
    std::array<char, 64 << 10> part;  // each read writes what it needs
    for (;;) {
        in.getline(part.data(), static_cast<std::streamsize>(part.size()));
        line.append(part.data(), static_cast<std::size_t>(in.gcount()));
        if (in.bad()) return LineEnd::unreadable;
        if (in.eof()) return line.size() > longest ? LineEnd::too_long : LineEnd::file_end;
        const bool is_whole = in.good();
        if (is_whole) line.pop_back();  // the newline, which gcount() counts
        if (line.size() > longest) return LineEnd::too_long;
        if (is_whole) return LineEnd::newline;
        in.clear();  // the line continues
    }
}
}
