// The length of the reflect agent's prompts: the bound of tokens, and refused prompts.
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/models/model_error.hpp"
#include "tests/support/reflect.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
const std::string main_question = "How do the rivers compare?";
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
std::string text_of(const models::ChatRequest& request) { return request.messages.at(1).content; }
std::size_t tokens_of(const models::ChatRequest& request) { return estimate_tokens(request.messages); }

/// A model that looks a number of times, each time at a long text, and then answers.
struct Looker : Reflector {
    int looks = 0, most = 6;
    std::size_t length = 3000;
    Looker() {
        add_tool(tools, "look", [this](const nlohmann::json&) {
            return tools::Observation{"thing " + std::to_string(++looks) + ": " + std::string(length, 'x')};
        });
    }
    Thinking::Reply reply() {
        return [this](const Request&) {
            return looks < most ? request("look", {{"n", looks}}) : request("final_answer", "all");
        };
    }
};
/// A model that refuses prompts of more than a number of tokens.
struct Narrow final : models::ChatModel {
    Narrow(models::ChatModel& m, std::size_t l) : model(m), longest(l) {}
    using ChatModel::chat;
    std::string name() const override { return "narrow"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta& on_delta) override {
        if (tokens_of(request) > longest) {
            refused.push_back(read_request(request).kind);
            throw models::PromptTooLong("it is too long");
        }
        return model.chat(request, on_delta);
    }
    models::ChatModel& model;
    const std::size_t longest;
    std::vector<Request::Kind> refused;
};
}

// shows A-35: prompts keep to a limit, and one that the server refuses as too long is sent again, shorter
TEST_CASE("a request of the reflect agent is within the bound, and its last turn stays whole") {
    Looker agent;
    agent.options.context_tokens = 2500;
    Thinking model(agent.reply());

    const auto told = agent.ask(model, "What is there?");

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(model.requests.size() == 14);
    for (const auto& sent : model.requests) {
        CHECK(tokens_of(sent) <= 2500);
        CHECK(has(text_of(sent), "QUESTION\nWhat is there?"));
    }
    const auto last = text_of(model.requests.back());
    CHECK(has(last, "OBSERVATION >> thing 6: " + std::string(3000, 'x')));
    CHECK(has(last, "OBSERVATION >> thing 5: "));
    CHECK(has(last, "... [shortened, 3"));
    CHECK(tokens_of(model.requests.back()) > 1800);
    agent.looks = 0;
    agent.options.context_tokens = 0;
    Thinking unbound(agent.reply());
    agent.ask(unbound, "What is there?");
    CHECK(has(text_of(unbound.requests.back()), "thing 1: " + std::string(3000, 'x')));
}
TEST_CASE("an observation without room is shortened, and the reflection on it stays") {
    Looker agent;
    agent.most = 1;
    agent.length = 30'000;
    agent.options.context_tokens = 2000;
    Thinking model(agent.reply());

    const auto told = agent.ask(model, "What is there?");

    CHECK(told.outcome == AnswerOutcome::answered);
    const auto last = text_of(model.requests.back());
    CHECK(has(last, "ACTION >> look"));
    CHECK(has(last, "OBSERVATION >> thing 1: xxx"));
    CHECK(last.starts_with("QUESTION\nWhat is there?\n\n"));
    CHECK(last.ends_with("REFLECTION >> I think about What is there?"));
    for (const auto& sent : model.requests) CHECK(tokens_of(sent) <= 2000);
}
TEST_CASE("a bound below the instructions costs the past, never the question or the last turn") {
    Looker agent;
    agent.options.context_tokens = 10;
    Thinking model(agent.reply());

    const auto told = agent.ask(model, "What is there?");

    CHECK(told.outcome == AnswerOutcome::answered);
    const auto last = text_of(model.requests.back());
    CHECK(has(last, "CONTEXTUAL INFORMATION\n[20 earlier entries are left out]\nREFLECTION >> I think"));
    CHECK(has(last, "OBSERVATION >> thing 6: xxx"));
    CHECK(last.size() < 1000);
}
TEST_CASE("earlier turns are left out from the oldest exchange on") {
    Looker agent;
    for (int i = 0; i < 40; ++i)
        agent.memory.append(std::to_string(i), {"then " + std::to_string(i) + "? " + std::string(300, 'x'), "so"});
    agent.most = 0;
    agent.options.context_tokens = 1500;
    Thinking model(agent.reply());

    agent.ask(model, "What is there?");

    const auto first = text_of(model.requests.front());
    CHECK(tokens_of(model.requests.front()) <= 1500);
    CHECK(!has(first, "then 0?"));
    CHECK(has(first, "QUESTION >> then 39?"));
    CHECK(has(first, "earlier entries are left out]"));
}
TEST_CASE("a prompt with faulty replies stays within the bound") {
    Looker agent;
    agent.options.context_tokens = 1200;
    Thinking model([n = 0](const Request&) mutable {
        return ++n < 3 ? std::string(20'000, 'y') : request("final_answer", "all");
    });

    const auto told = agent.ask(model, "What is there?");

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.retries.size() == 2);
    REQUIRE(model.requests.back().messages.size() == 6);
    CHECK(has(model.requests.back().messages[2].content, "yyy... [cut]"));
    for (const auto& sent : model.requests) CHECK(tokens_of(sent) <= 1200);
}
TEST_CASE("a prompt of the reflect agent is sent again with half of its size when it was refused as too long") {
    Looker agent;
    Thinking thinking(agent.reply());
    Narrow model(thinking, 2500);

    const auto told = agent.ask(model, "What is there?");

    INFO(told.error);
    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.steps == 7);
    CHECK(model.refused.size() == 1);
    CHECK(std::count(told.names.begin(), told.names.end(), "WarningEvent") == 1);
    CHECK(told.result.requests == int(thinking.requests.size()) + 1);
}
TEST_CASE("every kind of request of the reflect agent is sent again once, and a second refusal fails the run") {
    const auto reply = [](const Request& sent) -> std::string {
        if (sent.kind == Request::decomposition) return R"({"sub_questions": ["The Elbe?"]})";
        if (sent.kind == Request::summary) return R"({"summary": "It has a length."})";
        if (sent.question != main_question) return request("final_answer", std::string(5000, 'z'));
        return has(sent.text, "GENERATED RESPONSE") ? request("final_answer", "done") : request("decomposition");
    };
    for (const auto kind : {Request::reflection, Request::action, Request::decomposition, Request::summary})
        for (const int times : {1, 2}) {
            Reflector agent;
            for (int i = 0; i < 9; ++i) agent.memory.append(std::to_string(i), {std::string(900, 'x'), "so"});
            Thinking thinking(reply);
            int left = times;
            struct Picky final : models::ChatModel {
                using ChatModel::chat;
                std::string name() const override { return "picky"; }
                awaitable<models::ChatReply> chat(const models::ChatRequest& request,
                                                  const models::OnDelta& d) override {
                    if (read_request(request).kind == *kind && (*left)-- > 0)
                        throw models::PromptTooLong("it is too long");
                    return inner->chat(request, d);
                }
                models::ChatModel* inner = nullptr;
                const Request::Kind* kind = nullptr;
                int* left = nullptr;
            } model;
            model.inner = &thinking, model.kind = &kind, model.left = &left;

            const auto told = agent.ask(model, main_question);

            CAPTURE(int(kind));
            CAPTURE(told.error);
            CHECK(told.outcome == (times == 1 ? AnswerOutcome::answered : AnswerOutcome::failed));
            CHECK((times == 1 || told.code == Code::model_refused));
            CHECK(std::count(told.names.begin(), told.names.end(), "WarningEvent") == 1);
        }
}
TEST_CASE("a prompt that cannot be shortened is not sent again") {
    Looker agent;
    Thinking thinking(agent.reply());
    Narrow model(thinking, 10);

    const auto told = agent.ask(model, "What is there?");

    CHECK(told.outcome == AnswerOutcome::failed);
    CHECK(told.code == Code::model_refused);
    CHECK(model.refused.size() == 1);
}
TEST_CASE("runs of sub-questions know a model's earlier refusals") {
    Looker agent;
    agent.most = 4;
    Thinking thinking([&agent](const Request& sent) -> std::string {
        if (sent.kind == Request::decomposition) return R"({"sub_questions": ["The Elbe?", "The Rhine?"]})";
        if (sent.kind == Request::summary) return R"({"summary": "Each has a length."})";
        if (sent.question != main_question || has(sent.text, "GENERATED RESPONSE"))
            return request("final_answer", "done");
        return agent.looks < agent.most ? request("look", {{"n", agent.looks}}) : request("decomposition");
    });
    Narrow model(thinking, 2500);

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.sub_answers.size() == 2);
    CHECK(model.refused.size() == 1);
    CHECK(told.result.requests == int(thinking.requests.size()) + 1);
}
