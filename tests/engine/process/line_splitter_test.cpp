#include "engine/process/line_splitter.hpp"
#include <doctest/doctest.h>
#include <vector>
using weft::process::LineSplitter;

namespace {
std::vector<std::string> all_of(LineSplitter& lines) {
    std::vector<std::string> all;
    while (auto line = lines.take())
        all.push_back(line->left_out ? "(" + std::to_string(line->left_out) + ")" : line->text);
    return all;
}
}

TEST_CASE("lines are the same however their bytes are cut, from a child's output") {
    const std::string text = "one\n\ntwo\r\n1234567890\n12345678\nlast";
    const std::vector<std::string> expected{"one", "", "two", "(10)", "12345678", "last"};
    for (std::size_t size = 1; size <= text.size(); ++size) {
        LineSplitter lines(8);
        for (std::size_t i = 0; i < text.size(); i += size) lines.feed(std::string_view(text).substr(i, size));
        lines.finish();
        CHECK(all_of(lines) == expected);
        CHECK(lines.waiting() == 0);
    }
}
TEST_CASE("an output ending with a newline has no further empty line") {
    LineSplitter lines(8);
    lines.feed("one\n");
    lines.finish();
    CHECK(all_of(lines) == std::vector<std::string>{"one"});
}
TEST_CASE("an overlong line without an end is reported, and the next output begins a new line") {
    LineSplitter lines(4);
    lines.feed("12345");
    lines.feed("678");
    lines.finish();
    CHECK(all_of(lines) == std::vector<std::string>{"(8)"});
    lines.feed("9\n");
    CHECK(all_of(lines) == std::vector<std::string>{"9"});
}
TEST_CASE("empty lines count as waiting memory") {
    LineSplitter lines(4);
    for (int i = 0; i < 1000; ++i) lines.feed("\n");
    CHECK(lines.waiting() >= 1000);
}
TEST_CASE("an overlong line keeps a part of its begin and its end, however it is cut") {
    std::string text(1000, 'b');
    text.front() = '<';
    text.back() = '>';
    for (const std::size_t size : {1, 7, 255, 256, 257, 999, 1000}) {
        LineSplitter lines(300);
        for (std::size_t i = 0; i < text.size(); i += size) lines.feed(std::string_view(text).substr(i, size));
        lines.finish();
        const auto line = lines.take();
        REQUIRE(line);
        CHECK(line->begin == text.substr(0, 256));
        CHECK(line->end == text.substr(1000 - 256));
    }
}
