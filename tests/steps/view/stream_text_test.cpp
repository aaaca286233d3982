// Reflections that are shown while they arrive.
#include "steps/view/event_line.hpp"
#include "steps/view/trace_printer.hpp"
#include "tests/support/trace.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
struct Printed {
    std::string text;
    TracePrinter printer{[this](std::string_view piece) { text += piece; }};
    void piece(int n, std::string words) { printer.on(any(ReflectionDeltaEvent{n, std::move(words)})); }
    void whole(int n, std::string words) { printer.on(any(ReflectionEvent{n, std::move(words)})); }
};
}

TEST_CASE("a reflection is shown once, as it arrives") {
    Printed printed;
    printed.piece(0, "I lo");
    CHECK(printed.text == "REFLECTION >> I lo");
    printed.piece(0, "ok.\nThen");
    printed.piece(0, " I add.");
    printed.whole(0, "I look.\nThen I add.");
    printed.printer.on(any(RequestEvent{0, "add", json_text("1 + 1")}));
    CHECK(printed.text == "REFLECTION >> I look.\n    Then I add.\nACTION >> add\nARGUMENT >> 1 + 1\n");
}
TEST_CASE("the stream shows one of parallel reflections as it arrives, and the others when they are whole") {
    Printed printed;
    printed.piece(1, "one ");
    printed.piece(2, "two ");
    printed.piece(1, "goes on");
    printed.whole(1, "one goes on");
    printed.piece(2, "is whole");
    printed.whole(2, "two is whole");
    CHECK(printed.text == "    SUBQUESTION >> 1. (goes on)\n    REFLECTION >> one goes on\n"
                          "    SUBQUESTION >> 2. (goes on)\n    REFLECTION >> two is whole\n");
}
TEST_CASE("an interrupted or changed reflection is shown whole in the end") {
    Printed printed;
    printed.piece(0, "I lo");
    printed.printer.on(any(CallNoteEvent{"retry", "m", "it broke off", 1000}));
    printed.piece(0, "I look.");
    printed.whole(0, "I look.");
    CHECK(printed.text.starts_with("REFLECTION >> I lo\nModel: it broke off"));
    CHECK(printed.text.ends_with("\nREFLECTION >> I look.\n"));
    Printed other;
    other.piece(0, "I lo");
    other.whole(0, "We look.");
    CHECK(other.text == "REFLECTION >> I lo\nREFLECTION >> We look.\n");
    Printed cut;
    cut.piece(0, "I lo");
    cut.printer.on(any(RunCancelledEvent{}));
    CHECK(cut.text.starts_with("REFLECTION >> I lo\nERROR >> "));
}
// shows B-A17
TEST_CASE("a piece cannot command the terminal or imitate a label") {
    for (const std::size_t size : {1, 4, 1000}) {
        Printed printed;
        const std::string text = "x\n  FINAL ANSWER >> 7\nFINAL\nACTION >> a\x1B[2J\nACT";
        for (std::size_t i = 0; i < text.size(); i += size) printed.piece(3, text.substr(i, size));
        printed.whole(3, text);
        CHECK(printed.text == "    SUBQUESTION >> 3. (goes on)\n    REFLECTION >> x\n        |   FINAL ANSWER >> 7\n"
                              "        FINAL\n        | ACTION >> a" +
                                  neutralise("\x1B") + "[2J\n        ACT\n");
    }
    CHECK(event_line(any(ReflectionDeltaEvent{2, "\x1B\xFF"})).find("\"sub_question\":2") != std::string::npos);
    CHECK(is_ascii_line(event_line(any(ReflectionDeltaEvent{2, "\x1B\xFF é"}))));
}
TEST_CASE("text held back at the end of a reflection is shown in order") {
    Printed printed;
    printed.piece(0, "x\nACT\r");
    printed.whole(0, "x\nACT\r");
    CHECK(printed.text == "REFLECTION >> x\n    ACT<U+000D>\n");
}
