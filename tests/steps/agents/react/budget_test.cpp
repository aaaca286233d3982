// The parts that a prompt omits when it would be too long.
#include "engine/pool.hpp"
#include "steps/agents/memory/memory_file.hpp"
#include "steps/agents/react/fit_prompt.hpp"
#include "steps/models/model_error.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/react.hpp"
#include <doctest/doctest.h>
using namespace test;
using models::assistant, models::user;
using testing::await;

namespace {
/// A dialect with one message for each part of a situation.
class Plain final : public Dialect {
public:
    std::string_view name() const override { return "plain"; }
    std::vector<models::Message> prompt(const PromptInput& now) const override {
        std::vector<models::Message> messages{models::instruction(std::string(now.system))};
        messages.insert(messages.end(), now.conversation.history.begin(), now.conversation.history.end());
        messages.push_back(user(now.conversation.question));
        for (const auto& step : now.reasoning)
            messages.push_back(step.kind == ReasoningKind::observation ? user(step.text) : assistant(step.text));
        return messages;
    }
    std::vector<std::string> stop() const override { return {}; }
    std::unique_ptr<ReplyParser> parser() const override { return text_dialect.parser(); }
} const plain;

const std::string pad(200, '~');  // longer than the note about its omission
struct Past {
    Conversation conversation{{user("q1" + pad), assistant("a1"), user("q2" + pad), assistant("a2")}, "q"};
    CurrentReasoning reasoning;
    tools::Registry tools;
    PromptInput now{.conversation = conversation, .reasoning = reasoning, .tools = tools, .system = "be brief"};
    void add(ReasoningKind kind, const std::string& text) {
        ReasoningStep step{.kind = kind};
        step.text = text;
        reasoning.push_back(step);
    }
    void act(const std::string& n) {
        add(ReasoningKind::action, "call" + n + pad);
        add(ReasoningKind::observation, "seen" + n);
    }
};
std::string shown(const FittedPrompt& fitted) {
    std::string text;
    for (const auto& message : fitted.messages) text += message.content + "|";
    std::erase(text, '~');
    return text;
}
const std::string note = "[Left out here, to save room: ";
}

// shows L-12: users can replace parts of the prompts
// shows L-09
TEST_CASE("tokens are estimated as a quarter of the bytes, rounded up, and four for each message") {
    CHECK(estimate_tokens({}) == 0);
    CHECK(estimate_tokens({user("")}) == 4);
    CHECK(estimate_tokens({user("12345"), user("1234")}) == 4 + 2 + 4 + 1);
}
TEST_CASE("a prompt without a bound, or within it, stays whole") {
    Past past;
    past.act("1");
    for (std::size_t tokens : {std::size_t(0), std::size_t(1000)}) {
        const auto fitted = fit_prompt(plain, past.now, tokens);
        CHECK(shown(fitted) == "be brief|q1|a1|q2|a2|q|call1|seen1|");
        CHECK(fitted.can_shorten);
    }
}
TEST_CASE("the conversation is dropped before the turns, the oldest part first, and notes say where and how much") {
    Past past;
    past.act("1");
    past.act("2");
    past.add(ReasoningKind::fault, "odd");
    std::vector<std::string> seen;
    for (std::size_t tokens = 500; tokens > 0; --tokens) {
        const auto fitted = fit_prompt(plain, past.now, tokens);
        if (seen.empty() || seen.back() != shown(fitted)) seen.push_back(shown(fitted));
        CHECK((estimate_tokens(fitted.messages) <= tokens || !fitted.can_shorten));
    }
    CHECK(std::find(seen.begin(), seen.end(),
                    "be brief|" + note +
                        "one earlier question with its answer.]\n\nq2|a2|q|call1|seen1|call2|seen2|odd|") !=
          seen.end());
    const auto last = note + "2 earlier questions with their answers.]\n\nq\n\n" + note +
                      "2 earlier replies of yours, and what came of them.]|odd|";
    CHECK(seen.back() == "be brief|" + last);
    CHECK(seen.front() == "be brief|q1|a1|q2|a2|q|call1|seen1|call2|seen2|odd|");
}
TEST_CASE("a call always stays with its observations, and the last turn stays at any bound") {
    Past past;
    past.add(ReasoningKind::action, "a");
    past.add(ReasoningKind::action, "b");
    past.add(ReasoningKind::observation, "A");
    past.add(ReasoningKind::observation, "B");
    past.act(std::string(1000, 'x'));

    const auto fitted = fit_prompt(plain, past.now, 1);

    CHECK(fitted.exchanges == 2);
    CHECK(fitted.turns == 1);
    CHECK(!fitted.can_shorten);
    CHECK(shown(fitted).find("|a|") == std::string::npos);
    CHECK(shown(fitted).find("|B|") == std::string::npos);
    CHECK(shown(fitted).ends_with("|seen" + std::string(1000, 'x') + "|"));
    Past empty;
    empty.conversation.history.clear();
    CHECK(!fit_prompt(plain, empty.now, 1).can_shorten);
}
TEST_CASE("a long conversation is cut only as much as needed in every dialect, with few attempts") {
    class Counting final : public Dialect {
    public:
        std::string_view name() const override { return "counting"; }
        std::vector<models::Message> prompt(const PromptInput& now) const override {
            ++prompts;
            return text_dialect.prompt(now);
        }
        std::vector<std::string> stop() const override { return {}; }
        std::unique_ptr<ReplyParser> parser() const override { return text_dialect.parser(); }
        mutable int prompts = 0;
    } counting;
    Past past;
    for (int i = 0; i < 1000; ++i) past.act(std::to_string(i));

    const auto fitted = fit_prompt(counting, past.now, 4000);

    CHECK(estimate_tokens(fitted.messages) <= 4000);
    CHECK(estimate_tokens(fitted.messages) > 3900);
    CHECK(fitted.exchanges == 2);
    CHECK(fitted.messages.back().content == "Observation: seen999");
    CHECK(counting.prompts <= 13);
}
// shows L-03: the prompt consists of tools, history and reasoning
TEST_CASE("prepare_chat_history obeys the budget of the options") {
    Context ctx;
    tools::Registry none;
    ReactOptions options;
    ctx.edit<Conversation>([](auto& c) {
        c.question = "now?";
        for (int i = 0; i < 50; ++i) {
            c.history.push_back(user("then? " + std::string(400, 'x')));
            c.history.push_back(assistant("so"));
        }
    });
    const auto whole = prepare_chat_history(ctx, {}, text_dialect, none, options);
    CHECK(whole.messages.size() == 102);
    CHECK(whole.can_shorten);
    options.context_tokens = 2000;
    const auto cut = prepare_chat_history(ctx, {}, text_dialect, none, options);
    CHECK(estimate_tokens(cut.messages) <= 2000);
    CHECK(cut.messages.size() > 4);
    CHECK(cut.messages.back().content == "now?");
}
TEST_CASE("a prompt refused as too long is shortened once and sent again, which counts as no turn") {
    Agent agent;
    for (int i = 0; i < 20; ++i) agent.memory.append("", {"then? " + std::string(400, 'x'), "so"});
    add_tool(agent.tools, "look", [](const nlohmann::json&) { return tools::Observation{"a thing"}; });
    constexpr std::size_t longest = 2500;
    int refused = 0;
    AskedModel model([&](const models::ChatRequest& request) {
        if (estimate_tokens(request.messages) > longest) {
            ++refused;
            throw models::PromptTooLong("it is too long");
        }
        if (request.messages.back().content.find("a thing") != std::string::npos) return say("Answer: a thing");
        return say("Action: look\nAction Input: {}");
    });

    const auto told = agent.ask(model, "What is there?");

    INFO(told.error);
    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.steps == 2);
    CHECK(refused == 1);
    CHECK(model.requests.size() == 3);
    CHECK(told.names == std::vector<std::string>{"TurnEvent", "WarningEvent", "ActionEvent", "ObservationEvent",
                                                 "TurnEvent", "AnswerEvent"});
}
TEST_CASE("a prompt is a typed failure when it is refused again or cannot be shortened") {
    for (int exchanges : {0, 3}) {
        Agent agent;
        for (int i = 0; i < exchanges; ++i) agent.memory.append("", {"then?", "so"});
        AskedModel model([](auto&) -> models::ChatReply { throw models::PromptTooLong("it is too long"); });

        const auto told = agent.ask(model, "What is there?");

        CHECK(told.outcome == AnswerOutcome::failed);
        CHECK(told.error.find("it is too long") != std::string::npos);
        CHECK(model.requests.size() == (exchanges ? 2 : 1));
    }
}
// shows A-24
TEST_CASE("the react agent remembers in a file, and its next run gets the relevant exchanges") {
    Folder folder;
    Pool pool;
    tools::Registry none;
    const ReactOptions options;
    AskedModel model([](auto& request) { return say("Answer: " + std::to_string(request.messages.size())); });
    for (int run_of_process = 0; run_of_process < 2; ++run_of_process) {
        MemoryFile memory(pool, folder.path("memory.json"));
        const auto agent = workflows::react.with(model, text_dialect, memory, none, options);
        CHECK(run(agent, {.text = "How many?"}).response == (run_of_process ? "4" : "2"));
    }
    CHECK(nlohmann::json::parse(folder.read("memory.json")).at("answer_trace") == nlohmann::json{"2", "4"});
}
