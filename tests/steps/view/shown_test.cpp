// Tools' progress and displays, and models' reasoning, in traces, terminals, pages and logs.
#include "engine/json.hpp"
#include "steps/view/entry_text.hpp"
#include "steps/view/event_line.hpp"
#include "steps/view/html_page.hpp"
#include "steps/view/log.hpp"
#include "steps/view/trace_printer.hpp"
#include "tests/support/trace.hpp"
#include <doctest/doctest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <sstream>
using namespace test;

namespace {
tools::Display display_of(const std::string& text) {
    tools::Display display;
    display.text = text;
    display.tables.push_back({text, {text, "b"}, {{text, "2"}}, 3});
    display.files.push_back(tools::shown_file(text, text, "content"));
    return display;
}
ObservationEvent observation(const std::string& shown) {
    ObservationEvent event{"c1", "look", "for the model", "", true};
    event.display = display_of(shown);
    return event;
}
ToolProgressEvent progress(std::optional<double> done, std::optional<double> total, std::string text) {
    return {"c1", "load", done, total, std::move(text)};
}
template <class... E> std::string print(E... event) {
    std::string out;
    TracePrinter printer([&](std::string_view text) { out += text; });
    (printer.on(any(std::move(event))), ...);
    return out;
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
}

TEST_CASE("progress is a line on the terminal, and an entry of trace, page and log") {
    CHECK(progress_sentence(progress(3, 10, "parts")) == "3 of 10: parts");
    CHECK(progress_sentence(progress(0.5, std::nullopt, "")) == "0.5");
    CHECK(progress_sentence(progress(std::nullopt, std::nullopt, "at work")) == "at work");
    CHECK(progress_sentence(RunProgressEvent{.settled = 3, .begun = 8}) == "3 of 8 branches");
    CHECK(print(progress(3, 10, "parts")) == "Progress: load: 3 of 10: parts\n");
    CHECK(has(print(ReflectionEvent{0, "x"}, progress(3, 10, "parts")), "PROGRESS >> load: 3 of 10: parts\n"));
    Trace trace("?");
    const auto added = trace.on(any(progress(3, 10, "parts")));
    REQUIRE(added.size() == 1);
    CHECK((added[0].kind == TraceKind::progress && added[0].label == "load" && added[0].ok));
    CHECK(has(html_page(trace.entries(), {}), "3 of 10: parts"));
    CHECK(has(event_line(any(progress(3, 10, "parts"))), R"("done":3.0)"));
    std::ostringstream log;
    spdlog::logger logger("l", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
    StepLog steps(logger, "r");
    steps.on(added);
    CHECK(has(log.str(), R"("progress":"3 of 10: parts")"));
}
TEST_CASE("a terminal shows the human's text and a line for each file and table, and a log shows both") {
    const auto out = print(observation("for you"));
    CHECK(has(out, "Observation: for you\n"));
    CHECK(has(out, "[file for you (for you, 7 bytes)]"));
    CHECK(has(out, "[table for you (2 columns, 4 rows)]"));
    CHECK_FALSE(has(out, "for the model"));
    auto silent = observation("x");
    silent.display->text.clear();
    CHECK(has(print(silent), "Observation: for the model\n"));
    std::ostringstream log;
    spdlog::logger logger("l", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
    {
        Trace trace("?");
        StepLog steps(logger, "r");
        steps.on(trace.on(any(observation("for you"))));
    }
    CHECK(has(log.str(), R"x("shown":["file for you (for you, 7 bytes)","table for you (2 columns, 4 rows)"])x"));
    CHECK(has(log.str(), R"("observation":"for the model")"));
}
TEST_CASE("a page shows the human's text, tables and files, and folds the model's text") {
    Trace trace("?");
    trace.on(any(observation("for you")));
    const auto page = html_page(trace.entries(), {});
    CHECK(has(page, "<div class=\"text\" dir=\"auto\">for you</div>"));
    CHECK(
        has(page, "<summary>what the model was told</summary>\n<div class=\"text\" dir=\"auto\">for the model</div>"));
    CHECK(has(page, "<caption>for you</caption>"));
    CHECK(has(page, "[3 more rows]"));
    CHECK(has(page, "download=\"for you\" href=\"data:application/octet-stream;base64,Y29udGVudA==\""));
}
TEST_CASE("a page folds a model's reasoning, and shows its tokens beside the reply's tokens") {
    Trace trace("?");
    const auto added = trace.on(any(ReasoningEvent{"I wonder", 12}));
    REQUIRE(added.size() == 1);
    CHECK(added[0].kind == TraceKind::reasoning);
    CHECK(has(html_page(trace.entries(), {}), "<details class=\"fold\">\n<summary>what the model thought by itself"));
    CHECK(print(ReasoningEvent{"I wonder", 12}).empty());  // its pieces were already shown
    CHECK(has(print(ReflectionEvent{0, "x"}, ReasoningEvent{"I wonder", 12}), "REASONING >> I wonder\n"));
}
TEST_CASE("a cached reply has a grey note, and counts as no fault") {
    CallNoteEvent note{"cached", "m", "the reply comes from the cache, and costs nothing", 0};
    CHECK(has(print(note), "Model: the reply comes from the cache, and costs nothing\n"));
    Trace trace("?");
    CHECK(trace.on(any(note)).front().ok);
}
TEST_CASE("a tool's display or progress stays in its place on the page") {
    Trace plain("x");
    plain.on(any(observation("x")));
    plain.on(any(progress(1, 2, "x")));
    plain.on(any(ReasoningEvent{"x", 0}));
    const auto tags = [](const std::string& page) { return std::count(page.begin(), page.end(), '<'); };
    const auto usual = tags(html_page(plain.entries(), {}));
    for (const auto& text : hostile_texts()) {
        if (text.size() > 1000) continue;
        Trace trace("x");
        trace.on(any(observation(text)));
        trace.on(any(progress(1, 2, text)));
        trace.on(any(ReasoningEvent{text, 0}));
        const auto page = html_page(trace.entries(), {});
        CHECK(tags(page) == usual);
        for (const auto& line : {print(observation(text)), print(progress(1, 2, text)),
                                 print(ReflectionEvent{0, "x"}, progress(1, 2, text), ReasoningEvent{text, 0})}) {
            CHECK(line.find('\x1B') == std::string::npos);
            CHECK_FALSE(has(line, "\nFINAL ANSWER >> forged"));
        }
    }
}
