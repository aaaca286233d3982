#include "engine/engine.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/server/openai/answer.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::server;
using nlohmann::json;

namespace {
const OpenaiModel& model(std::string_view id) {
    static const auto all = openai_models(catalog::entries());
    return find_model(all, id);
}
json text(const std::string& piece) { return {{"text", piece}}; }
json answer_event(const std::string& response, const char* outcome = "answered") {
    return {{"response", response}, {"outcome", outcome}, {"usage", {{"prompt_tokens", 7}, {"completion_tokens", 3}}}};
}
/// Every given piece, with its purpose.
struct Given {
    AnswerText answer;
    std::string pieces;
    explicit Given(std::string_view id = "react", bool live = true) : answer(model(id), live) {}
    Given& feed(std::string_view type, const json& value, bool asks = false) {
        pieces += answer.feed(type, value, asks);
        return *this;
    }
    Given& delta(const std::string& piece) { return feed("AnswerDeltaEvent", text(piece)); }
};
struct Heard {
    std::string pieces;
    std::size_t count = 0;
};
awaitable<Heard> hear(JsonRun run, AnswerText& answer) {
    Heard heard;
    while (answer.status() == RunStatus::running) {
        const auto event = co_await run.next_event();
        if (!event) break;
        const auto piece = answer.feed(*event);
        heard.count += !piece.empty();
        heard.pieces += piece;
    }
    run.cancel();
    co_return heard;
}
Heard ask(std::string_view id, const std::string& script, const json& input, AnswerText& answer) {
    catalog::AgentOptions options;
    if (!script.empty()) options.model = "script:" + script;
    const catalog::ProcessResources process(options, [](std::string_view) {});
    catalog::RunResources here(process);
    auto run = catalog::find_workflow(id).run(here, input, {});
    auto hearing = hear(std::move(run), answer);
    return process.engine().wait(std::move(hearing));
}
}

TEST_CASE("the pieces of an agent's answer are sent immediately, and together are the answer") {
    Given given;
    given.feed("TurnEvent", {{"step", 1}}).feed("ThoughtDeltaEvent", text("I know"));
    CHECK(given.pieces.empty());
    given.delta("Sal").delta("z");
    CHECK(given.pieces == "Salz");
    CHECK(given.answer.status() == RunStatus::running);
    given.feed("AnswerEvent", answer_event("Salz."));
    CHECK(given.pieces == "Salz.");
    CHECK(given.answer.status() == RunStatus::done);
    CHECK(given.answer.text() == "Salz.");
    CHECK(given.answer.usage() == models::Usage{7, 3});
    CHECK(given.answer.finish() == OpenaiFinish::stop);
    given.delta("more").feed("AnswerEvent", answer_event("other"));
    CHECK(given.pieces == "Salz.");
}
TEST_CASE("a restarted answer continues after the part already sent when it repeats that part") {
    for (const auto& [type, value] : {std::pair<const char*, json>{"CallNoteEvent", {{"kind", "restart"}}},
                                      {"FaultEvent", {{"error", "it was cut off"}}},
                                      {"TurnEvent", {{"step", 2}}},
                                      {"RunResumedEvent", {{"ticks", 3}}}}) {
        Given given;
        given.delta("Salz an").feed(type, value).delta("Sa").delta("lz and Pfeffer");
        CHECK(given.pieces == "Salz and Pfeffer");
        given.feed("AnswerEvent", answer_event("Salz and Pfeffer"));
        CHECK(given.answer.status() == RunStatus::done);
        CHECK(given.pieces == "Salz and Pfeffer");
    }
    Given held;
    held.delta("Sal").feed("CallNoteEvent", {{"kind", "held"}}).delta("z").feed("AnswerEvent", answer_event("Salz"));
    CHECK(held.pieces == "Salz");
}
TEST_CASE("an answer ends with an error, without mixed text, when it differs from the part already sent") {
    Given given;
    given.delta("Salz").feed("CallNoteEvent", {{"kind", "restart"}}).delta("Pfeffer").delta(" und Salz");
    CHECK(given.pieces == "Salz");
    given.feed("AnswerEvent", answer_event("Pfeffer und Salz"));
    CHECK(given.pieces == "Salz");
    CHECK(given.answer.status() == RunStatus::failed);
    CHECK(given.answer.error().code == "answer_withdrawn");
    Given shorter;
    shorter.delta("Salz").feed("AnswerEvent", answer_event("Sal"));
    CHECK(shorter.answer.status() == RunStatus::failed);
    Given blanks;
    blanks.delta("Salz\n ").feed("AnswerEvent", answer_event("Salz"));
    CHECK(blanks.answer.status() == RunStatus::done);
    Given third;
    third.delta("Salz").feed("FaultEvent", json::object()).delta("Other").feed("FaultEvent", json::object());
    third.delta("Salz!").feed("AnswerEvent", answer_event("Salz!"));
    CHECK(third.pieces == "Salz!");
}
TEST_CASE("an answer that was not streamed is sent at the end") {
    Given given("react", false);
    given.delta("Salz").feed("FaultEvent", json::object()).delta("Pfeffer");
    CHECK(given.pieces.empty());
    given.feed("AnswerEvent", answer_event("Pfeffer"));
    CHECK(given.pieces == "Pfeffer");
    Given other("hello");  // no agent: its streamed event of that name is not its answer
    other.delta("x").feed("GreetingEvent", text("Hello"));
    CHECK(other.pieces == "Hello");
}
TEST_CASE("characters cut between two deltas are sent whole") {
    const std::string word = "S\u00e4lze \U0001f9c2";
    for (std::size_t cut = 0; cut <= word.size(); ++cut) {
        Given given;
        given.delta(word.substr(0, cut));
        CHECK(is_utf8(given.pieces));
        given.delta(word.substr(cut));
        CHECK(given.pieces == word);
    }
}
TEST_CASE("invalid bytes are repaired in pieces as they are in the answer") {
    for (const std::string bytes : {"a\xff b", "\xe2\x82", "\xe2\x82 \xf0\x9f\xa7", "\x80\x80\xc3"})
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            Given given;
            given.delta(bytes.substr(0, cut)).delta(bytes.substr(cut));
            given.feed("AnswerEvent", answer_event(bytes));
            CHECK(given.answer.status() == RunStatus::done);
            CHECK(given.pieces == repair_utf8(bytes));
        }
}
TEST_CASE("a question to a human ends the answer after the text already sent") {
    Given given("refund");
    given.feed("ApprovalRequestEvent", {{"question", "Refund 120?"}}, true);
    CHECK(given.answer.status() == RunStatus::waiting);
    CHECK(given.pieces == "Refund 120?");
    Given late;
    late.delta("Well").feed("ToolApprovalRequestEvent", {{"tool", "sql"}, {"arguments", {{"q", 1}}}}, true);
    CHECK(late.pieces == "Well\n\nToolApprovalRequestEvent: {\"arguments\":{\"q\":1},\"tool\":\"sql\"}");
    CHECK(late.answer.text() == late.pieces);
}
TEST_CASE("a run without a stop event is an error with the cause's status") {
    Given failed;
    failed.feed("RunFailedEvent", {{"step", "s"}, {"error", "the model is gone"}, {"code", "model_unreachable"}});
    CHECK(failed.answer.status() == RunStatus::failed);
    CHECK(failed.answer.error().status == 500);
    CHECK(failed.answer.error().message == "the model is gone");
    Given empty;
    empty.feed("RunFailedEvent", {{"error", "the question is empty"}, {"code", "usage"}});
    CHECK(empty.answer.error().status == 400);
    Given late;
    late.feed("RunTimedOutEvent", {{"timeout", 3}});
    CHECK(late.answer.error().status == 504);
    Given cancelled;
    cancelled.feed("RunCancelledEvent", json::object());
    CHECK(cancelled.answer.error().status == 500);
    Given lost;
    lost.answer.fail(openai_run_failed(Code::journal, "the store is gone"));
    lost.answer.fail(openai_run_failed(Code::usage, "later"));
    CHECK(lost.answer.error().message == "the store is gone");
}
TEST_CASE("an answer at a limit says so, and an answer without a text is sent as JSON") {
    Given limit;
    limit.feed("AnswerEvent", answer_event("as far as I came", "limit"));
    CHECK(limit.answer.finish() == OpenaiFinish::length);
    Given strange;
    strange.feed("AnswerEvent", {{"response", 7}, {"usage", "many"}});
    CHECK(strange.pieces == R"({"response":7,"usage":"many"})");
    Given none;
    none.feed("AnswerEvent", nullptr);
    CHECK(none.pieces == "null");
}
TEST_CASE("usage is summed when the terminal event lacks it, and stays within the range of JSON") {
    Given given("hello");
    const json one = {{"usage", {{"prompt_tokens", 5}, {"completion_tokens", 2}, {"cached_tokens", -1}}}};
    given.feed("ActionEvent", one).feed("FaultEvent", one).feed("GreetingEvent", text("x"));
    CHECK(given.answer.usage() == models::Usage{10, 4});
    Given huge("hello");
    const json most = {{"usage", {{"prompt_tokens", std::numeric_limits<std::uint64_t>::max()}}}};
    for (int i = 0; i < 20000; ++i) huge.feed("ActionEvent", most);
    CHECK(huge.answer.usage().prompt_tokens == std::int64_t{1} << 53);
}
TEST_CASE("runs of every agent are answered with their response, live or not") {
    struct Case {
        const char *workflow, *script;
        bool streams;
    };
    for (const auto& one : {Case{"react", "sales", true}, Case{"reflect", "sales-reflect", false},
                            Case{"tool_agent", "sales-agent", false}}) {
        CAPTURE(std::string(one.workflow));
        const auto question = text(catalog::bundled_script(one.script).question);
        AnswerText live(model(one.workflow), true), whole(model(one.workflow), false);
        const auto heard = ask(one.workflow, one.script, question, live);
        CAPTURE(live.error().message);
        const auto at_once = ask(one.workflow, one.script, question, whole);
        REQUIRE(live.status() == RunStatus::done);
        REQUIRE(whole.status() == RunStatus::done);
        CHECK(heard.pieces == live.text());
        CHECK(heard.pieces == at_once.pieces);
        CHECK(at_once.count == 1);
        CHECK((heard.count > 1) == one.streams);
        CHECK(live.text().find("212.73") != std::string::npos);
        CHECK(live.usage() == whole.usage());
    }
}
TEST_CASE("runs of workflows without a model are answered with their text, their question or their mistake") {
    AnswerText hello(model("hello"), true), research(model("research"), true), refund(model("refund"), true),
        large(model("refund"), true), wrong(model("refund"), true);
    CHECK(ask("hello", "", text("Ada"), hello).pieces == "Hello, Ada!");
    CHECK_FALSE(ask("research", "", text("order"), research).pieces.empty());
    CHECK(research.status() == RunStatus::done);
    ask("refund", "", {{"order", "A"}, {"amount", 12}}, refund);
    CHECK(refund.status() == RunStatus::done);
    CHECK_FALSE(ask("refund", "", {{"order", "A"}, {"amount", 120}}, large).pieces.empty());
    CHECK(large.status() == RunStatus::waiting);
    ask("refund", "", {{"order", "A"}, {"amount", -1}}, wrong);
    CHECK(wrong.status() == RunStatus::failed);
    CHECK(wrong.error().status == 400);
}
