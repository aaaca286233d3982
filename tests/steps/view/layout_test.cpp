// The layout of a trace for terminals: labels, colours, indentation, and lines of 100 columns.
#include "steps/view/trace_printer.hpp"
#include "steps/view/wrap.hpp"
#include "tests/support/trace.hpp"
#include <doctest/doctest.h>
#include <sstream>
using namespace test;

namespace {
std::string print(const std::vector<TraceEntry>& entries, const EntryLook& look = {}) {
    std::string text;
    for (const auto& entry : entries) text += entry_text(entry, look);
    return text;
}
TraceEntry entry(TraceKind kind, std::string text, int sub_question = 0) {
    TraceEntry made;
    made.kind = kind;
    made.text = std::move(text);
    made.sub_question = sub_question;
    return made;
}
struct Printed {
    std::string text;
    TracePrinter printer;
    explicit Printed(TraceOptions options = {}) : printer([this](std::string_view piece) { text += piece; }, options) {}
};
}

// shows A-19
TEST_CASE("every kind of entry has its label, followed by ' >> '") {
    Printed printed({.answer = true});
    auto& trace = printed.printer;
    trace.on(any(ReflectionEvent{0, "I think."}));
    trace.on(any(RequestEvent{0, "add", json_text("1 + 1")}));
    trace.on(any(ResultEvent{0, "add", "2", true}));
    trace.on(any(RetryEvent{0, "it is not JSON", "hm"}));
    trace.on(any(SubQuestionEvent{1, "Why?"}));
    trace.on(any(SubAnswerEvent{1, "So."}));
    trace.on(any(SummaryEvent{"All."}));
    AnswerEvent answer;
    answer.response = "Done.";
    trace.on(any(answer));
    CHECK(printed.text == "REFLECTION >> I think.\n"
                          "ACTION >> add\n"
                          "ARGUMENT >> 1 + 1\n"
                          "OBSERVATION >> 2\n"
                          "ERROR >> the reply: it is not JSON\n"
                          "    SUBQUESTION >> 1. Why?\n"
                          "    FINAL ANSWER >> So.\n"
                          "GENERATED RESPONSE TO SUBQUESTIONS >> All.\n"
                          "FINAL ANSWER >> Done.\n");
}
// shows A-20: each label has its colour
// shows B-A17
TEST_CASE("each label has its colour only if colours are on") {
    using enum TraceKind;
    const auto colour = [](TraceKind kind, bool ok = true) {
        auto one = entry(kind, "x");
        one.ok = ok;
        return entry_text(one, {.colour = true}).substr(0, 5);
    };
    CHECK(colour(reflection) == "\x1B[94m");
    CHECK(colour(action) == "\x1B[92m");
    CHECK(colour(observation) == "\x1B[93m");
    CHECK(colour(observation, false) == "\x1B[91m");
    CHECK(colour(error) == "\x1B[91m");
    CHECK(colour(summary) == "\x1B[96m");
    CHECK(colour(answer) == "\x1B[96m");
    CHECK(entry_text(entry(action, "x"), {.colour = true}).find("\x1B[90mARGUMENT >> \x1B[0mx") != std::string::npos);
    CHECK(entry_text(entry(sub_question, "x", 1), {.colour = true}).starts_with("    \x1B[95mSUBQUESTION >> \x1B[0m"));
    CHECK(print(every_kind("x")).find('\x1B') == std::string::npos);
}
// shows A-21: the trace wraps at 100 columns and indents sub-questions
// shows B-A18
TEST_CASE("text keeps its lines in 100 columns, four blanks deeper than its label") {
    const auto schema = "id INTEGER\n  total REAL  -- with blanks\n\nnote TEXT";
    CHECK(entry_text(entry(TraceKind::observation, schema)) == "OBSERVATION >> \n"
                                                               "    id INTEGER\n"
                                                               "      total REAL  -- with blanks\n"
                                                               "\n"
                                                               "    note TEXT\n");
    CHECK(entry_text(entry(TraceKind::observation, "a\nb", 2)) == "    OBSERVATION >> \n        a\n        b\n");

    std::string words;
    for (int i = 0; i < 100; ++i) words += "word ";
    for (const int sub_question : {0, 1}) {
        const auto text = entry_text(entry(TraceKind::reflection, words, sub_question));
        std::istringstream lines(text);
        std::string line;
        for (int n = 0; std::getline(lines, line); ++n) {
            CHECK(columns_of(line) <= 100);
            if (n) CHECK(line.starts_with(std::string(sub_question ? 8 : 4, ' ') + "word"));
        }
    }
}
TEST_CASE("lines are wrapped at blanks, and their width is counted in terminal columns") {
    using Lines = std::vector<std::string>;
    CHECK(wrap("", {10}) == Lines{""});
    CHECK(wrap("one two three", {.columns = 8}) == Lines{"one two", "three"});
    CHECK(wrap("one two three", {.columns = 8, .first = 4}) == Lines{"one", "two", "three"});
    CHECK(wrap("  one two three", {.columns = 9}) == Lines{"  one two", "  three"});
    CHECK(wrap("abcdefghij", {.columns = 4}) == Lines{"abcd", "efgh", "ij"});
    CHECK(wrap("a\n\nb \n", {.columns = 4}) == Lines{"a", "", "b", ""});
    CHECK(wrap("a\tb", {.columns = 20}) == Lines{"a       b"});
    CHECK(wrap("日本語日本語", {.columns = 6}) == Lines{"日本語", "日本語"});
    CHECK(wrap("日本語", {.columns = 5}) == Lines{"日本", "語"});
    CHECK(wrap("e\xCC\x81"
               "e\xCC\x81",
               {.columns = 2}) == Lines{"e\xCC\x81"
                                        "e\xCC\x81"});
    CHECK(wrap("\xFF\xFF", {.columns = 10}) == Lines{"\xEF\xBF\xBD\xEF\xBF\xBD"});
    CHECK(columns_of("日本 é") == 6);
    std::size_t bytes = 0;
    for (const auto& line : wrap(std::string(1 << 20, 'x'), {.columns = 100})) bytes += line.size();
    CHECK(bytes == 1 << 20);
    CHECK(wrap(std::string(1 << 20, ' '), {.columns = 100}).size() == 1);
}
// shows A-22: the trace grows while the run executes
// shows B-A26: the trace only adds lines
TEST_CASE("parallel sub-questions only add lines, and each piece names its sub-question") {
    Printed printed;
    auto& trace = printed.printer;
    trace.on(any(SubQuestionEvent{1, "Q1?"}));
    trace.on(any(SubQuestionEvent{2, "Q2?"}));
    trace.on(any(ReflectionEvent{2, "two"}));
    const auto before = printed.text;
    trace.on(any(ReflectionEvent{1, "one"}));
    trace.on(any(SubAnswerEvent{1, "it took too long", AnswerOutcome::timed_out}));
    CHECK(printed.text.starts_with(before));
    CHECK(printed.text == "    SUBQUESTION >> 1. Q1?\n"
                          "    SUBQUESTION >> 2. Q2?\n"
                          "    REFLECTION >> two\n"
                          "    SUBQUESTION >> 1. (goes on)\n"
                          "    REFLECTION >> one\n"
                          "    FINAL ANSWER >> timed_out: it took too long\n");
    for (const char* clear : {"\x1B[2J", "\x1B[H", "\r", "\f"}) CHECK(printed.text.find(clear) == std::string::npos);
}
TEST_CASE("a text cannot command the terminal or imitate a label") {
    for (const auto& text : hostile_texts()) {
        const auto shown = print(every_kind(text), {.longest_observation = std::size_t(1) << 21});
        std::istringstream lines(shown);
        std::size_t labels = 0;
        for (std::string line; std::getline(lines, line);) {
            CHECK(is_harmless(line));
            line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
            for (const char* label : {"REFLECTION >>", "OBSERVATION >>", "FINAL ANSWER >>"})
                labels += line.starts_with(label);
        }
        CHECK(labels == 6);
    }
}
TEST_CASE("a long observation is cut in the trace, and says by how much") {
    CHECK(entry_text(entry(TraceKind::observation, std::string(100, 'x')), {.longest_observation = 10}) ==
          "OBSERVATION >> \n    xxxxxxxxxx\n    [90 more bytes]\n");
}
// shows D-05
TEST_CASE("turns of react are numbered and divided by lines on request") {
    Printed printed({.steps = true});
    auto& trace = printed.printer;
    trace.on(any(TurnEvent{1, 2}));
    trace.on(any(ActionEvent{"1", "I add.", "add", json_text("{}"), "", {}}));
    trace.on(any(ObservationEvent{"1", "add", "2", "", true}));
    trace.on(any(TurnEvent{0, 1}));
    trace.on(any(AnswerEvent{}));
    const std::string line(40, '-');
    CHECK(printed.text == "Step 1.\nThought: I add.\nAction: add\nAction Input: {}\nObservation: 2\n" + line +
                              "\nLimit: no steps are left; the model is asked for its best answer\nLast step.\n" +
                              line + "\n");
}
TEST_CASE("a failing or cancelled reflect run is shown under ERROR") {
    Printed printed;
    printed.printer.on(any(ReflectionEvent{0, "hm"}));
    printed.printer.on(any(RunFailedEvent{"act", "the model is gone"}));
    CHECK(printed.text.ends_with("ERROR >> failed: act: the model is gone\n"));
}
