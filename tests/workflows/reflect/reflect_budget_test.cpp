// The account of the reflect agent: it has the cost of all requests, and no request exceeds a bound.
#include "steps/agents/common/llm_tool.hpp"
#include "steps/models/model_error.hpp"
#include "tests/support/reflect.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace std::chrono_literals;

namespace {
const std::string main_question = "How do the rivers compare?";
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
/// A model that divides the question, answers each part, and then the question. Every reply costs 13 tokens.
std::string rivers(const Request& sent) {
    if (sent.kind == Request::decomposition) return R"({"sub_questions": ["The Elbe?", "The Rhine?", "The Oder?"]})";
    if (sent.kind == Request::summary) return R"({"summary": "Each has a length."})";
    if (sent.question == main_question && !has(sent.text, "GENERATED RESPONSE")) return request("decomposition");
    return request("final_answer", "About " + sent.question);
}
/// The failure of a missing model.
struct Failing final : models::ChatModel {
    using ChatModel::chat;
    std::string name() const override { return "failing"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta& on_delta) override {
        max_retries.push_back(request.max_retries.value_or(-1));
        const auto read = read_request(request);
        if (read.kind == Request::action && has(read.question, fails_at)) {
            requests += 4;
            throw models::ModelError(Code::model_unreachable, "nobody is there", {.attempts = 4});
        }
        auto reply = co_await thinking.chat(request, on_delta);
        reply.attempts = 1 + std::min(1, request.max_retries.value_or(9));  // it fails once, if a retry is allowed
        requests += reply.attempts;
        co_return reply;
    }
    std::string fails_at = "nothing";
    Thinking thinking{rivers};
    std::vector<int> max_retries;
    int requests = 0;
};
}

// shows A-36
TEST_CASE("a failed sub-question has spent the cost of its replies") {
    Reflector agent;
    Thinking model([](const Request& sent) {
        return sent.kind == Request::action && sent.question == "The Rhine?" ? "no idea" : rivers(sent);
    });

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.sub_answers.at(1).outcome == AnswerOutcome::failed);
    CHECK(told.result.requests == int(model.requests.size()));
    CHECK(told.result.usage.prompt_tokens == 10 * std::int64_t(model.requests.size()));
}
TEST_CASE("a sub-question of an absent or refusing model has spent its attempts") {
    Reflector agent;
    Failing model;
    model.fails_at = "Rhine";

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.sub_answers.at(1).text == "nobody is there");
    CHECK(told.result.requests == model.requests);

    AskedModel refuses([](const models::ChatRequest& sent) {
        const auto read = read_request(sent);
        if (read.question == "The Elbe?") return say("", models::FinishReason::refused);
        return say(read.kind == Request::reflection ? "hm" : rivers(read));
    });
    const auto refused = agent.ask(refuses, main_question);
    CHECK(refused.sub_answers.at(0).outcome == AnswerOutcome::failed);
    CHECK(refused.result.requests == int(refuses.requests.size()));
}
TEST_CASE("a question and all of its sub-questions share one bound of retries") {
    for (const bool parallel : {false, true}) {
        Reflector agent;
        agent.options.parallel = parallel;
        agent.options.max_retries = 5;
        Failing model;

        const auto told = agent.ask(model, main_question);

        CAPTURE(parallel);
        CHECK(told.outcome == AnswerOutcome::answered);
        CHECK(told.result.retries <= 5);
        CHECK(told.result.retries > 2);
        CHECK(told.result.requests == model.requests);
        CHECK(told.result.requests == told.result.retries + int(model.thinking.requests.size()));
        CHECK(model.max_retries.front() == 5);
        CHECK(model.max_retries.back() == 5 - told.result.retries);
    }
}
TEST_CASE("consecutive sub-questions share one bound of time") {
    Reflector agent;
    agent.options.budget.time_ms = std::chrono::milliseconds(9h).count();
    Thinking model(rivers);
    model.delay = [](const Request&) { return Duration(1h); };

    const auto begin = agent.clock.now();
    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.limit == "time");
    CHECK(agent.clock.now() - begin <= 9h);
}
TEST_CASE("an unusable reply is requested again as far as the budget allows") {
    for (const int requests : {3, 4, 5}) {
        Reflector agent;
        agent.options.max_faults = 9;
        agent.options.budget.requests = requests;
        Thinking model([](const Request& sent) -> std::string {
            return has(sent.text, "The budget of this task is nearly spent") ? "So far nothing." : "{no object";
        });

        const auto told = agent.ask(model, "?");

        CAPTURE(requests);
        CHECK(told.outcome == AnswerOutcome::limit);
        CHECK(told.result.limit == "requests");
        CHECK(told.result.response == "So far nothing.");
        CHECK(int(model.requests.size()) == requests);
        CHECK(told.result.requests == requests);
    }
}
TEST_CASE("a question is not decomposed if the budget has room only for the closing turn") {
    Reflector agent;
    agent.options.budget.requests = 3;
    Thinking model([](const Request& sent) {
        return has(sent.text, "The budget of this task is nearly spent") ? request("final_answer", "They differ.")
                                                                         : rivers(sent);
    });

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.response == "They differ.");
    CHECK(told.results.at(0).text == "Error: the budget has no room for sub-questions");
    CHECK(told.sub_answers.empty());
    CHECK(model.requests.size() == 3);
}
TEST_CASE("a sub-question answered by a model's tool counts the tool's requests") {
    Reflector agent;
    Thinking model([](const Request& sent) {
        if (sent.kind != Request::action || sent.question != "The Elbe?" || has(sent.text, "1094 km"))
            return rivers(sent);
        return request("llm_tool", "How long is it?");
    });
    AskedModel expert([](auto&) { return say("1094 km"); });
    agent.tools.add(agents::llm_tool(expert));

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(expert.requests.size() == 1);
    CHECK(told.result.requests == int(model.requests.size()) + 1);
    CHECK(told.result.usage.prompt_tokens == 10 * (std::int64_t(model.requests.size()) + 1));
}
