// Compares the output of a program of version 0.1.0 with the end of its source. Each program is a page of docs/examples
// of that version, byte for byte, which a source here includes into a namespace behind all headers:
//
//     WEFT_PROGRAM_MAIN turns main() into program(), which may end without a return.
#pragma once
#include <doctest/doctest.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#define WEFT_PROGRAM_MAIN(...)                                                                                         \
    is_built = 1;                                                                                                      \
    void program(__VA_ARGS__)

namespace compatibility {
/// The lines after "// prints:".
inline std::string expected(const std::string& name) {
    std::ifstream in(WEFT_PROGRAMS "/" + name + ".cpp");
    std::string text, line;
    while (std::getline(in, line) && line != "// prints:") {}
    while (std::getline(in, line)) text += (line.size() > 3 ? line.substr(3) : "") + '\n';
    return text;
}
inline void check(const std::string& name, void (*run)()) {
    CAPTURE(name);
    const auto text = expected(name);
    REQUIRE(!text.empty());
    std::ostringstream out;
    auto* const before = std::cout.rdbuf(out.rdbuf());
    run();
    std::cout.rdbuf(before);
    CHECK(out.str() == text);
}
}
