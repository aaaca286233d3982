// Tries each row of the tables about replies and calls in docs/tutorial/08_dialects.md.
#include "tests/support/function_reply.hpp"
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
using namespace weft::agents;

namespace {
struct Row {
    std::string given, meant;
};
std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == text.npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}
/// Reads a code span with a blank at each end, and with visible line breaks.
std::string code(std::string text) {
    text = text.substr(2, text.size() - 4);
    const std::string drawn = "⏎";
    for (auto at = text.find(drawn); at != text.npos; at = text.find(drawn, at)) text.replace(at, drawn.size(), "\n");
    return text;
}
std::vector<Row> rows(const std::string& heading) {
    std::ifstream file(WEFT_DOCS "/tutorial/08_dialects.md");
    std::vector<Row> all;
    bool here = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## ")) here = line == heading;
        if (!here || !line.starts_with("| ` ")) continue;
        const auto bar = line.find(" | ", 2);
        REQUIRE(bar != line.npos);
        all.push_back(
            {code(trimmed(line.substr(2, bar - 2))), trimmed(line.substr(bar + 3, line.rfind('|') - bar - 3))});
    }
    return all;
}
void check(const Row& row, const std::string& read) {
    INFO(row.given);
    if (row.meant.starts_with("error: ")) CHECK_MESSAGE(read.find(row.meant.substr(7)) != read.npos, read);
    else CHECK(read == row.meant);
}
}

// shows B-D05: the pages use the names of the code
// shows D-07
TEST_CASE("replies are read as the table in the tutorial says") {
    const auto all = rows("## How a reply is read");
    CHECK(all.size() >= 15);
    for (const auto& row : all) {
        const auto reply = test::read_function_reply(row.given);
        check(row, reply.kind == ReplyKind::action   ? "action: " + reply.action + " " + reply.action_input
                   : reply.kind == ReplyKind::answer ? trimmed("answer: " + reply.answer)
                                                     : "error: " + reply.error);
    }
}
// shows D-08
TEST_CASE("calls are read as the table in the tutorial says") {
    const auto all = rows("## How a call is read");
    CHECK(all.size() >= 20);
    for (const auto& row : all) {
        const auto call = read_call(row.given, test::function_parameters);
        auto read = call.ok() ? call.tool + " " + call.arguments : "error: " + call.error;
        for (const auto& inner : call.inner) read += " after " + inner.tool + " " + inner.arguments.text;
        check(row, read);
    }
}
