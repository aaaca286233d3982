// The entries of a trace: the content of a stream, with times and cost.
#include "engine/json.hpp"
#include "engine/testing/manual_clock.hpp"
#include "steps/view/entry_text.hpp"
#include "steps/view/event_line.hpp"
#include "steps/view/html_page.hpp"
#include "steps/view/trace_printer.hpp"
#include "tests/support/trace.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
struct Box {
    std::string item;
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(Box, (), (item, count))
struct PackedEvent {
    std::string to;
    std::vector<Box> boxes;
};
BOOST_DESCRIBE_STRUCT(PackedEvent, (), (to, boxes))
struct BareEvent {
    int secret = 0;
};
struct ShippedEvent : StopEvent {
    int boxes = 0;
};
BOOST_DESCRIBE_STRUCT(ShippedEvent, (), (boxes))
const TraceEntry& last(const Trace& trace) { return trace.entries().back(); }
std::vector<std::string> lines_of(const Trace& trace) {
    std::vector<std::string> lines;
    for (const auto& entry : trace.entries())
        lines.push_back(to_json(entry.kind).get<std::string>() + ' ' + std::to_string(entry.sub_question) + ' ' +
                        std::to_string(entry.step) + ' ' + entry.label + '|' + entry.text +
                        (entry.ok ? "" : " (not ok)"));
    return lines;
}
}

// shows A-23, D-15
TEST_CASE("a react stream becomes entries with times, turns and tokens") {
    testing::ManualClock clock;
    Trace trace("6 * 7?", clock);
    clock.advance(std::chrono::milliseconds(1500));
    trace.on(any(TurnEvent{1, 20}));
    CHECK(trace.on(any(ThoughtDeltaEvent{"I mul"})).empty());
    CHECK(trace.on(any(ActionEvent{"call_1", "I multiply.", "multiply", json_text("{\"a\":6,\"b\":7}"), "", {100, 20}}))
              .size() == 2);
    clock.advance(std::chrono::seconds(1));
    trace.on(any(ObservationEvent{"call_1", "multiply", "42", "told twice", true}));
    trace.on(any(TurnEvent{2, 20}));
    trace.on(any(FaultEvent{"it is empty", "", {150, 0}}));
    trace.on(any(TurnEvent{0, 20}));
    AnswerEvent answer;
    answer.response = "42";
    answer.outcome = AnswerOutcome::limit;
    answer.usage = {450, 25};
    answer.reasoning.push_back({.kind = ReasoningKind::answer});
    answer.reasoning.back().thought = "Now I know.";
    trace.on(any(answer));

    CHECK(lines_of(trace) ==
          std::vector<std::string>{
              "question 0 0 |6 * 7?", "thought 0 1 |I multiply.", "action 0 1 multiply|{\"a\":6,\"b\":7}",
              "observation 0 1 multiply|42", "event 0 1 note|told twice", "error 0 2 reply|it is empty (not ok)",
              "error 0 3 limit|no tool runs any more, the model is asked for its best answer (not ok)",
              "thought 0 3 |Now I know.", "answer 0 3 limit|42 (not ok)"});
    CHECK(trace.entries()[2].seconds == doctest::Approx(1.5));
    CHECK(trace.entries()[3].seconds == doctest::Approx(2.5));
    CHECK(trace.entries()[2].usage.prompt_tokens == 100);
    CHECK(last(trace).usage.prompt_tokens == 200);  // the tokens without the other turns'
    CHECK(last(trace).usage.completion_tokens == 5);
}
// shows A-19: each kind of trace entry has its label
// shows A-16, A-18
TEST_CASE("a reflect stream becomes entries with the name of their agent") {
    Trace trace("how did sales vary?");
    trace.on(any(ReflectionEvent{0, "two parts", {10, 2}}));
    trace.on(any(RequestEvent{0, "decomposition", json_text("how?")}));
    trace.on(any(DecompositionEvent{{"Q1?", "Q2?"}}));
    trace.on(any(SubQuestionEvent{1, "Q1?"}));
    trace.on(any(ReflectionEvent{1, "ask"}));
    trace.on(any(RequestEvent{1, "list_sql_tables", json_text("null")}));
    trace.on(any(ResultEvent{1, "list_sql_tables", "orders", true}));
    trace.on(any(ReflectionEvent{1, "enough"}));
    trace.on(any(RetryEvent{1, "it is not JSON", "well...", {20, 3}}));
    trace.on(any(RequestEvent{1, "final_answer", json_text("5500")}));
    trace.on(any(SubAnswerEvent{1, "5500"}));
    trace.on(any(SubAnswerEvent{2, "it failed", AnswerOutcome::failed}));
    trace.on(any(SummaryEvent{"5500 and nothing"}));

    CHECK(lines_of(trace) ==
          std::vector<std::string>{"question 0 0 |how did sales vary?", "reflection 0 1 |two parts",
                                   "action 0 1 decomposition|how?", "observation 0 1 decomposition|1. Q1?\n2. Q2?",
                                   "sub_question 1 0 |Q1?", "reflection 1 1 |ask", "action 1 1 list_sql_tables|",
                                   "observation 1 1 list_sql_tables|orders", "reflection 1 2 |enough",
                                   "thought 1 2 reply|well... (not ok)", "error 1 2 reply|it is not JSON (not ok)",
                                   "action 1 2 final_answer|", "answer 1 2 |5500",
                                   "answer 2 0 failed|it failed (not ok)", "summary 0 1 |5500 and nothing"});
    CHECK(trace.entries()[1].usage.prompt_tokens == 10);
    CHECK(trace.entries()[9].usage.completion_tokens == 0);  // a reply is counted once, with the error
    CHECK(trace.entries()[10].usage.completion_tokens == 3);
}
TEST_CASE("a summary of the past is its own entry, with its tokens, in every form of a trace") {
    Trace trace("?");
    trace.on(any(TurnEvent{1, 20}));
    trace.on(any(PastSummaryEvent{"They asked\nQ1.", 3, 0, {50, 7}}));
    CHECK(lines_of(trace).back() == "summary 0 1 past|They asked\nQ1.");
    CHECK(last(trace).usage.prompt_tokens == 50);
    CHECK(entry_text(last(trace)).starts_with("SUMMARY OF WHAT CAME BEFORE"));
    CHECK(html_page(trace.entries(), {}).find("Summary of what came before") != std::string::npos);
    std::string printed;
    TracePrinter printer([&printed](std::string_view text) { printed += text; });
    printer.on(any(PastSummaryEvent{"They asked\nAnswer: 7", 3, 0}));
    CHECK(printed == "Summary: They asked\n  Answer: 7\n");
}
// shows D-14
TEST_CASE("a terminal event of any kind is the last entry of a run") {
    Trace trace("?");
    trace.on(any(RunFailedEvent{"call_tool", "no"}));
    CHECK(last(trace).label == "failed");
    CHECK(last(trace).text == "call_tool: no");
    trace.on(any(RunTimedOutEvent{1, {"a", "b"}}));
    CHECK(last(trace).text == "the run has passed its deadline in a, b");
    trace.on(any(RunCancelledEvent{}));
    CHECK(last(trace).label == "cancelled");
    CHECK_FALSE(last(trace).ok);
}
// shows B-A17: prompts have no colours
TEST_CASE("entries have the texts unchanged, byte by byte") {
    for (const auto& text : hostile_texts()) {
        Trace trace(text);
        trace.on(any(ReflectionEvent{0, text}));
        trace.on(any(ObservationEvent{"1", "look", text, "", true}));
        CHECK(trace.entries()[0].text == text);
        CHECK(trace.entries()[1].text == text);
        CHECK(trace.entries()[2].text == text);
    }
}
TEST_CASE("every event of reflect is a line of JSON in ASCII with its data") {
    const auto check = [](const AnyEvent& event, const char* field) {
        const auto line = event_line(event);
        CHECK(is_ascii_line(line));
        CHECK(nlohmann::json::parse(line)["data"].contains(field));
    };
    check(any(ReflectionEvent{1, "\x1B\xFF é"}), "text");
    check(any(RequestEvent{1, "add", json_text("[1, 2]")}), "argument");
    check(any(ResultEvent{1, "add", "3", true}), "ok");
    check(any(RetryEvent{1, "no", "\xFF"}), "reply");
    check(any(DecompositionEvent{{"a"}}), "sub_questions");
    check(any(SubQuestionEvent{1, "a"}), "sub_question");
    check(any(SubAnswerEvent{1, "a", AnswerOutcome::limit}), "outcome");
    check(any(SummaryEvent{"a"}), "text");
    check(any(PastSummaryEvent{"a", 3, 1}), "exchanges");
}
TEST_CASE("an event of a user's workflow appears with its data as a line, in the log and on the page") {
    const auto event = any(PackedEvent{"caf\xC3\xA9", {{"tea", 2}}});
    CHECK(event_line(event) ==
          R"({"data":{"boxes":[{"count":2,"item":"tea"}],"to":"caf\u00e9"},"event":"PackedEvent"})");

    Trace trace("?");
    trace.on(event);
    CHECK(last(trace).kind == TraceKind::event);
    CHECK(last(trace).label == "PackedEvent");
    CHECK(last(trace).text == "{\"boxes\":[{\"count\":2,\"item\":\"tea\"}],\"to\":\"caf\xC3\xA9\"}");
    CHECK(html_page(trace.entries(), {}).find("<h3>Event <code>PackedEvent</code></h3>") != std::string::npos);
    CHECK(entry_text(last(trace)).starts_with("EVENT >> PackedEvent: {\"boxes\""));
}
TEST_CASE("an event of a user's workflow is printed with its data, harmless and cut, except the stop event") {
    std::string printed;
    TracePrinter printer([&printed](std::string_view text) { printed += text; }, {.longest_observation = 30});
    printer.on(any(PackedEvent{"me", {}}));
    printer.on(any(PackedEvent{"\x7F\xE2\x80\xAE", {}}));
    printer.on(any(PackedEvent{std::string(100, 'x'), {}}));
    printer.on(any(ShippedEvent{.boxes = 1}));
    CHECK(printed == "Event: PackedEvent: {\"boxes\":[],\"to\":\"me\"}\n"
                     "Event: PackedEvent: {\"boxes\":[],\"to\":\"<U+007F><U+202E>\"}\n"
                     "Event: PackedEvent: {\"boxes\":[],\"to\":\"xxxxxxxxxxxx\n  [90 more bytes]\n");

    printed.clear();
    printer.on(any(ReflectionEvent{0, "now"}));  // reflect's own form in the trace
    printer.on(any(PackedEvent{std::string(100, 'x'), {}}));
    CHECK(printed.find("EVENT >>") != std::string::npos);
    CHECK(printed.find("[90 more bytes]") != std::string::npos);
}
TEST_CASE("a trace keeps little of the data of a long event") {
    Trace trace("?");
    trace.on(any(PackedEvent{std::string(100000, 'x'), {}}));
    CHECK(last(trace).text.size() < 5000);
    CHECK(last(trace).text.ends_with(" more bytes]"));
}
TEST_CASE("the line of an event has its child's run and path") {
    auto* published = new core::Published::Of<PackedEvent>({"tea", {}});
    published->sender = std::make_shared<const core::Sender>(core::Sender{.run = "claims:7/3.0.1.0", .path = "settle"});

    const auto line = event_line(AnyEvent(published));

    CHECK(line == R"({"data":{"boxes":[],"to":"tea"},"event":"PackedEvent","path":"settle","run":"claims:7/3.0.1.0"})");
}
TEST_CASE("an event without a description has a note with its name in the place of its data") {
    const std::string why = "BareEvent has no JSON form: describe it with BOOST_DESCRIBE_STRUCT, as "
                            "engine/describe.hpp shows";
    CHECK(nlohmann::json::parse(event_line(any(BareEvent{7}))) ==
          nlohmann::json{{"event", "BareEvent"}, {"no_data", why}});

    Trace trace("?");
    trace.on(any(BareEvent{7}));
    CHECK(last(trace).text == why);
    CHECK(!last(trace).ok);
}
TEST_CASE("an agent's announcing events have no entries") {
    Trace trace("?");
    for (auto&& event : {any(TurnEvent{1, 5}), any(ReplyDeltaEvent{}), any(AnswerDeltaEvent{}), any(ActionDeltaEvent{}),
                         any(ActionInputDeltaEvent{}), any(ThoughtDeltaEvent{}), any(ReflectionDeltaEvent{})})
        CHECK(trace.on(event).empty());
}
TEST_CASE("the end of a run is a line with its data and its outcome") {
    CHECK(event_line(any(RunFailedEvent{.step = "pack", .error = "no box", .code = Code::usage, .attempts = 2})) ==
          R"({"data":{"attempts":2,"code":"usage","error":"no box","step":"pack"},"event":"RunFailedEvent",)"
          R"("outcome":"failed"})");
    CHECK(event_line(any(RunTimedOutEvent{.timeout = 1.5, .active_steps = {"pack"}})) ==
          R"({"data":{"active_steps":["pack"],"timeout":1.5,"undo_error":""},"event":"RunTimedOutEvent",)"
          R"("outcome":"timed_out"})");
    CHECK(event_line(any(RunCancelledEvent{})) ==
          R"({"data":{"undo_error":""},"event":"RunCancelledEvent","outcome":"cancelled"})");
}
