// Reads a file into memory, up to a bound.
//
//     const auto text = read_file("prices.json", 1 << 20);
//     if (!text) throw Error(Code::configuration, "prices.json cannot be read");
//     if (text->size() > 1 << 20) throw Error(Code::configuration, "prices.json is larger than 1 MB");
#pragma once
#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace weft {
/// Reads one byte more than `most` from a longer file, and no more. nullopt if the file cannot be read.
inline std::optional<std::string> read_file(const std::string& path, std::size_t most) {
    std::ifstream file(path, std::ios::binary);
    std::string text;
    char piece[1 << 14];
    while (file && text.size() <= most) {
        file.read(piece, std::streamsize(std::min(sizeof piece, most + 1 - text.size())));
        text.append(piece, std::size_t(file.gcount()));
    }
    if (!file.is_open() || file.bad()) return std::nullopt;
    return text;
}
}
