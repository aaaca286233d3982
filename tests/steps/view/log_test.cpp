// The parts of a run in the log, and the parts that the log never has.
#include "engine/testing/await.hpp"
#include "steps/view/log.hpp"
#include "tests/support/react.hpp"
#include "tests/support/trace.hpp"
#include <doctest/doctest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <sstream>
using namespace test;

namespace {
struct WrappedEvent {
    std::string paper;
};
BOOST_DESCRIBE_STRUCT(WrappedEvent, (), (paper))
struct Book {
    std::ostringstream text;
    spdlog::logger logger{"test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)};
    explicit Book(spdlog::level::level_enum level) {
        logger.set_pattern("%l %v");
        logger.set_level(level);
    }
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        std::istringstream rest(text.str());
        for (std::string line; std::getline(rest, line);) all.push_back(line);
        return all;
    }
};
nlohmann::json record(const std::string& line) { return nlohmann::json::parse(line.substr(line.find(' ') + 1)); }
std::string hide(std::string_view text) {
    std::string clean(text);
    for (std::size_t at; (at = clean.find("sk-canary-12345678")) != clean.npos;) clean.replace(at, 18, "***");
    return clean;
}
void one_step(Trace& trace, StepLog& log, const std::string& observation) {
    log.on(trace.on(any(TurnEvent{1, 5})));
    log.on(trace.on(any(ActionEvent{"1", "I add.", "add", json_text("{\"a\":1}"), "", {31, 7}})));
    log.on(trace.on(any(ObservationEvent{"1", "add", observation, "", true})));
}
}

// shows D-16: a run has a log
// shows D-15
TEST_CASE("a step is one structured line at level info") {
    Book book(spdlog::level::info);
    Trace trace("1 + 1?");
    {
        StepLog log(book.logger, "run_1");
        one_step(trace, log, "2");
        AnswerEvent answer;
        answer.response = "2";
        answer.usage = {71, 17};
        log.on(trace.on(any(answer)));
    }
    REQUIRE(book.lines().size() == 2);
    CHECK(book.lines()[0].starts_with("info {\"run\":\"run_1\",\"step\":1,\"sub_question\":0,\"action\":\"add\","
                                      "\"thought\":\"I add.\",\"arguments\":\"{\\\"a\\\":1}\",\"observation\":\"2\","
                                      "\"ok\":true,\"seconds\":"));
    CHECK(record(book.lines()[0])["prompt_tokens"] == 31);
    CHECK(record(book.lines()[1])["answer"] == "2");
    CHECK(record(book.lines()[1])["completion_tokens"] == 10);
}
TEST_CASE("an event within a step is its own line, and the step continues") {
    Book book(spdlog::level::info);
    Trace trace("?");
    StepLog log(book.logger, "run_1");
    log.on(trace.on(any(ActionEvent{"1", "I pack.", "pack", json_text("{}"), "", {31, 7}})));
    log.on(trace.on(any(WrappedEvent{"red"})));
    log.on(trace.on(any(ObservationEvent{"1", "pack", "packed", "", true})));
    REQUIRE(book.lines().size() == 2);
    CHECK(record(book.lines()[0])["label"] == "WrappedEvent");
    CHECK(record(book.lines()[0])["event"] == "{\"paper\":\"red\"}");
    CHECK(record(book.lines()[1])["action"] == "pack");
    CHECK(record(book.lines()[1])["observation"] == "packed");
}
TEST_CASE("steps of parallel sub-questions are not mixed, and an open one is written at the end") {
    Book book(spdlog::level::info);
    Trace trace("?");
    {
        StepLog log(book.logger, "run_1");
        log.on(trace.on(any(ReflectionEvent{1, "one"})));
        log.on(trace.on(any(ReflectionEvent{2, "two"})));
        log.on(trace.on(any(RequestEvent{2, "look", json_text("null")})));
        log.on(trace.on(any(RequestEvent{1, "add", json_text("null")})));
        log.on(trace.on(any(ResultEvent{2, "look", "seen", true})));
    }
    REQUIRE(book.lines().size() == 2);
    CHECK(record(book.lines()[0])["thought"] == "two");
    CHECK(record(book.lines()[0])["observation"] == "seen");
    CHECK(record(book.lines()[1])["thought"] == "one");
    CHECK(record(book.lines()[1])["action"] == "add");
    CHECK_FALSE(record(book.lines()[1]).contains("observation"));
}
TEST_CASE("texts are short at level info, whole at debug; they forge no line and reveal no key") {
    for (const auto& text : hostile_texts()) {
        Book book(spdlog::level::debug);
        Trace trace(text);
        {
            StepLog log(book.logger, "run_1", hide);
            one_step(trace, log, "sk-canary-12345678 " + text);
        }
        REQUIRE(book.lines().size() == 2);
        for (const auto& line : book.lines()) {
            CHECK(is_ascii_line(line));
            CHECK(line.find("canary") == line.npos);
        }
        CHECK(book.lines()[0].size() < 2000);
        const auto said = record(book.lines()[1])["observation"].get<std::string>();
        CHECK(said.size() >= text.size());
    }
}
TEST_CASE("a key is removed before a text is cut") {
    Book book(spdlog::level::info);
    Trace trace("?");
    {
        StepLog log(book.logger, "run_1", hide);
        one_step(trace, log, std::string(190, 'x') + "sk-canary-12345678");
    }
    CHECK(record(book.lines()[0])["observation"] == std::string(190, 'x') + "***");
}
TEST_CASE("whole messages and replies are logged at debug only, without keys") {
    for (const auto level : {spdlog::level::info, spdlog::level::debug}) {
        Book book(level);
        ScriptedModel scripted{"Answer: sk-canary-12345678\n42"};
        LoggedModel model(scripted, book.logger, hide);
        models::ChatRequest request;
        request.messages = {models::instruction("Be brief."), models::user("a\nsk-canary-12345678?")};
        const auto reply = testing::await(model.chat(request));
        CHECK(reply.text == "Answer: sk-canary-12345678\n42");
        CHECK(model.name() == scripted.name());
        if (level == spdlog::level::info) CHECK(book.lines().empty());
        else {
            REQUIRE(book.lines().size() == 2);
            CHECK(record(book.lines()[0])["messages"][0]["role"] == "system");
            CHECK(record(book.lines()[0])["messages"][1]["content"] == "a\n***?");
            CHECK(record(book.lines()[1])["reply"] == "Answer: ***\n42");
        }
    }
}
TEST_CASE("a model's reasoning is logged with its reply at debug, without keys") {
    Book book(spdlog::level::debug);
    AskedModel thinking([](auto&) {
        auto reply = say("42");
        reply.reasoning = "Hm, sk-canary-12345678.";
        return reply;
    });
    LoggedModel model(thinking, book.logger, hide);
    const models::ChatRequest request;
    testing::await(model.chat(request));
    CHECK(record(book.lines().at(1))["reasoning"] == "Hm, ***.");
}
