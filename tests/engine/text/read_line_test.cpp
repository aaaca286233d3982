#include "engine/text/read_line.hpp"
#include <doctest/doctest.h>
#include <sstream>
using namespace weft;

TEST_CASE("a line ends by its newline, and the last one also by the end of the file") {
    std::istringstream in("one\n\ntwo");
    std::string line;
    CHECK(read_line(in, line, 3) == LineEnd::newline);
    CHECK(line == "one");
    CHECK(read_line(in, line, 3) == LineEnd::newline);
    CHECK(line.empty());
    CHECK(read_line(in, line, 3) == LineEnd::file_end);
    CHECK(line == "two");
    CHECK(read_line(in, line, 3) == LineEnd::file_end);
    CHECK(line.empty());
}
TEST_CASE("a line has its limit where the parts of a read end, too") {
    constexpr std::size_t part = 64 << 10;
    for (const auto size : {part - 2, part - 1, part, part + 1, 2 * part - 2, 2 * part}) {
        CAPTURE(size);
        std::string line;
        std::istringstream in(std::string(size, 'x') + "\ny\n"), same(std::string(size, 'x') + '\n');
        CHECK(read_line(in, line, size) == LineEnd::newline);
        CHECK(line == std::string(size, 'x'));
        CHECK(read_line(in, line, 1) == LineEnd::newline);
        CHECK(line == "y");
        CHECK(read_line(same, line, size - 1) == LineEnd::too_long);
        std::istringstream open(std::string(size, 'x'));
        CHECK(read_line(open, line, size - 1) == LineEnd::too_long);
    }
}
TEST_CASE("a line without end is given up after its limit") {
    std::string line;
    std::istringstream in(std::string(1 << 20, 'x'));
    CHECK(read_line(in, line, 100) == LineEnd::too_long);
    CHECK(line.size() < (65 << 10));
}
