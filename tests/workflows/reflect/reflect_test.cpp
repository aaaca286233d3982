// Whole runs of the reflect workflow: turns, tools, limits, and ends.
#include "tests/support/reflect.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace std::chrono_literals;

namespace {
struct Looker : Reflector {
    int calls = 0;
    Looker() {
        add_tool(tools, "look", [this](const nlohmann::json&) {
            ++calls;
            return tools::Observation{"the real thing"};
        });
        add_tool(tools, "break",
                 [](const nlohmann::json&) -> tools::Observation { throw std::runtime_error("it is broken"); });
    }
};
/// A model with a list of replies for actions, which repeats the last one.
Thinking::Reply one_by_one(std::vector<std::string> replies) {
    return [replies = std::move(replies), next = std::size_t(0)](const Request&) mutable {
        return replies[std::min(next++, replies.size() - 1)];
    };
}
}

// shows A-01, A-02
TEST_CASE("a turn is a reflection and an action, and both have the whole context") {
    Looker agent;
    Thinking model(one_by_one({request("look"), request("final_answer", "the real thing")}));

    const auto told = agent.ask(model, "What is there?");

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.response == "the real thing");
    CHECK(told.names == std::vector<std::string>{"ReflectionEvent", "RequestEvent", "ResultEvent", "ReflectionEvent",
                                                 "RequestEvent", "AnswerEvent"});
    REQUIRE(model.requests.size() == 4);
    for (const auto& sent : model.requests) REQUIRE(sent.messages.size() == 2);
    CHECK(model.requests[0].messages[1].content == "QUESTION\nWhat is there?\n\nCONTEXTUAL INFORMATION\n(none: nothing "
                                                   "was asked before, and nothing was done yet)");
    CHECK(model.requests[1].messages[1].content ==
          "QUESTION\nWhat is there?\n\nCONTEXTUAL INFORMATION\nREFLECTION >> I think about What is there?");
    CHECK(model.requests[2].messages[1].content ==
          "QUESTION\nWhat is there?\n\nCONTEXTUAL INFORMATION\nREFLECTION >> I think about What is there?\nACTION >> "
          "look\nOBSERVATION >> the real thing");
    CHECK(model.requests[3].messages[1].content.find("thing\nREFLECTION >> I think about") != std::string::npos);
    CHECK(told.result.steps == 2);
    CHECK(told.result.sources.size() == 1);
    CHECK(told.result.usage.prompt_tokens == 40);
    CHECK(told.result.reasoning.size() == 3);
}
// shows B-A10
TEST_CASE("every call of a tool has exactly one observation, whatever its outcome") {
    Looker agent;
    Thinking model(
        one_by_one({request("break"), request("fly", "up"), request("look", 5), request("final_answer", "done")}));

    const auto told = agent.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::answered);
    REQUIRE(told.results.size() == 3);
    CHECK(told.requests.size() == 4);
    CHECK(told.results[0].text == "Error: it is broken");
    CHECK(!told.results[0].ok);
    CHECK(told.results[1].text.find("there is no tool 'fly'; there are: look, break") != std::string::npos);
    CHECK(told.results[2].ok);
}
// shows A-14
TEST_CASE("an action has three tries with feedback, and then is a typed failure") {
    Looker agent;
    Thinking model(one_by_one({"I would look.", R"({"action": "look"})", R"({"request": )"}));

    const auto told = agent.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::failed);
    CHECK(told.code == Code::model_failed);
    CHECK(told.error.find("3 replies of the model in a row could not be followed; the last one: the JSON object is not "
                          "closed. Another model may do better") != std::string::npos);
    REQUIRE(told.retries.size() == 3);
    CHECK(told.retries[0].reply == "I would look.");
    REQUIRE(model.requests.size() == 4);
    const auto& last = model.requests[3].messages;
    REQUIRE(last.size() == 6);
    CHECK(last[1].content.find("ERROR >> there is no JSON object in the reply\nERROR >> the JSON object has no") !=
          std::string::npos);
    CHECK(last[2].content == "I would look.");
    CHECK(last[3].content.starts_with("ERROR >> This reply could not be followed: there is no JSON object"));
    CHECK(last[4].content == R"({"action": "look"})");
    CHECK(agent.calls == 0);
}
TEST_CASE("a good reply after a faulty one continues the run, and restarts the count of tries") {
    Looker agent;
    Thinking model(one_by_one({"no", "no", request("look"), "no", "no", request("final_answer", "done")}));

    const auto told = agent.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.retries.size() == 4);
}
// shows A-10, B-A20
TEST_CASE("an empty final answer is refused, fed back, and never remembered") {
    Looker agent;
    Thinking model(one_by_one({request("final_answer"), request("final_answer", " "), request("final_answer", "34")}));

    const auto told = agent.ask(model, "How many?");

    CHECK(told.result.response == "34");
    CHECK(told.retries.size() == 2);
    const auto remembered = agent.memory.read("");
    REQUIRE(remembered.size() == 2);
    CHECK(remembered[1].content == "34");
}
// shows B-A11: loops and repeated calls end
TEST_CASE("the prompt requests the model's best answer at the limit, and this request does not count as a turn") {
    Looker agent;
    agent.options.max_steps = 2;
    int turn = 0;
    Thinking model([&](const Request& asked) {
        if (asked.text.find("There are no turns left") != std::string::npos) return request("final_answer", "so far 2");
        return request("look", {{"n", ++turn}});
    });

    const auto told = agent.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.response == "so far 2");
    CHECK(told.result.steps == 2);
    CHECK(model.requests.size() == 5);
    CHECK(agent.calls == 2);
}
TEST_CASE("a repeated call makes a note, and ends the run like the limit") {
    Looker agent;
    Thinking model(one_by_one({request("look")}));

    const auto told = agent.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(agent.calls == 5);
    CHECK(told.results[1].text == "the real thing");
    CHECK(told.results[2].text.find("3 times") != std::string::npos);
    CHECK(told.result.response ==
          "No answer was found before the run came to its limit. The last reflection was: I think about ?");
    CHECK(agent.memory.read("").empty());
    CHECK(model.requests.back().messages.back().content.find("The same call has come round too often") !=
          std::string::npos);
}
TEST_CASE("an answer in plain words is an answer at the limit, and only there") {
    Looker agent;
    agent.options.max_steps = 1;
    Thinking model([](const Request& asked) {
        return asked.text.find("no turns left") != std::string::npos ? "It is about 40." : request("look");
    });

    const auto told = agent.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.response == "It is about 40.");
}
// shows B-A12
TEST_CASE("a run ends with a typed outcome when its model hangs or it is cancelled") {
    Looker agent;
    Thinking model(one_by_one({request("final_answer", "late")}));
    model.delay = [](const Request&) { return Duration(1h); };

    const auto late = agent.ask(model, "?", {.timeout = 60s});
    const auto stopped = agent.ask(model, "?", {}, [](auto& io, const auto& cancel) {
        io.poll();
        cancel();
    });

    CHECK(late.outcome == AnswerOutcome::timed_out);
    CHECK(late.names == std::vector<std::string>{"RunTimedOutEvent"});
    CHECK(stopped.outcome == AnswerOutcome::cancelled);
    CHECK(agent.memory.read("").empty());
}
TEST_CASE("a run ends with its own code after a refusal, an absent model or a reserved name") {
    Looker agent;
    AskedModel refuses([](auto&) { return say("I will not.", models::FinishReason::refused); });
    AskedModel away([](auto&) -> models::ChatReply { throw Error(Code::model_unreachable, "nobody is there"); });
    Thinking model(one_by_one({request("final_answer", "x")}));

    CHECK(agent.ask(refuses, "?").code == Code::model_refused);
    CHECK(agent.ask(away, "?").code == Code::model_unreachable);
    CHECK(agent.ask(model, " \n").code == Code::usage);
    add_tool(agent.tools, "decomposition", [](auto&) { return tools::Observation{"x"}; });
    CHECK(agent.ask(model, "?").error.find("a tool is named decomposition") != std::string::npos);
}
// shows B-A13, B-A14
TEST_CASE("hostile replies are fed back, and end the run with a typed outcome") {
    const std::string megabyte(1 << 20, '{');
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += "{\"request\":";
    for (const auto& bad :
         {megabyte, megabyte + "{", deep, std::string("\x1B[2J\x1B]0;x\x07"), std::string("\xFF\xFE{\xC3"),
          std::string("{\"request\": \"final_answer\", \"argument\": \"\xFF\""), std::string(1, '\0'),
          std::string("<script>alert(1)</script>"), std::string("]]]}}}"), std::string()}) {
        Looker agent;
        Thinking model(one_by_one({bad}));
        const auto failed = agent.ask(model, "?");
        CHECK(failed.outcome == AnswerOutcome::failed);
        CHECK(failed.code == Code::model_failed);
        CHECK(failed.retries.size() == 3);
        CHECK(failed.names.back() == "RunFailedEvent");
        for (const auto& sent : model.requests)
            for (const auto& message : sent.messages) REQUIRE(message.content.size() < 20'000);

        Thinking mends(one_by_one({bad, request("final_answer", "done")}));
        CHECK(agent.ask(mends, "?").result.response == "done");
    }
}
// shows A-26
TEST_CASE("the memory's content begins the context, with an end marker") {
    Looker agent;
    agent.memory.append("run 1", {"Who?", "Ada,\nthe first."});
    Thinking model(one_by_one({request("final_answer", "1843")}));

    agent.ask(model, "When?");

    CHECK(model.requests[0].messages[1].content ==
          "QUESTION\nWhen?\n\nCONTEXTUAL INFORMATION\nThese questions were asked and answered before. Use them where "
          "they "
          "help.\nQUESTION >> Who?\nANSWER >> Ada,\n    the first.\nEND OF WHAT WAS ASKED BEFORE");
    CHECK(agent.memory.read("").size() == 4);
}
