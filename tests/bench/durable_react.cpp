// Workload G for an agent: the bytes that a turn of react stores do not grow with the conversation.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/memory_store.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "tests/bench/durable.hpp"
#include "tests/bench/measure.hpp"
#include "tools/arithmetic.hpp"
#include "workflows/react.hpp"
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::storage;

namespace {
constexpr int turns = 210, early = 2, late = 200;

class Adding final : public models::ChatModel {  // a call of a tool in each turn, and the answer in the last one
public:
    using ChatModel::chat;
    std::string name() const override { return "adding"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest&, const models::OnDelta&) override {
        models::ChatReply reply;
        const auto number = std::to_string(100 + ++asked_);
        reply.text = asked_ < turns ? "Thought: I need to use a tool.\nAction: add\nAction Input: {\"a\": " + number +
                                          ", \"b\": 22}"
                                    : "Thought: I can answer without using any more tools.\nAnswer: 42";
        reply.usage = {10, 3};
        co_return reply;
    }

private:
    int asked_ = 0;
};
}
void durable_react() {
    MemoryStore store;
    Engine engine({.store = &store});
    Adding model;
    tools::Registry tools;
    for (auto& tool : tools::arithmetic()) tools.add(tool);
    const agents::ReactOptions options{.max_steps = turns + 1};
    auto run = engine.start(
        durable(workflows::react.with(model, agents::text_dialect, agents::no_memory(), tools, options)),
        {.text = "What is 20+22?"}, {.id = "agent"});
    const auto answer = engine.wait(run.result());
    require(answer.response == "42" && answer.steps == turns, "G: the agent");
    std::vector<double> bytes;  // by turn; bytes before the first turn are at 0
    bytes.push_back(0);
    store.load(
        "agent",
        [&](std::exception_ptr error, History history) {
            require(!error, "G: the agent's ticks");
            for (auto& tick : history.ticks) {
                if (nlohmann::json::parse(tick.body).value("step", "") == "prepare_chat_history") bytes.push_back(0);
                bytes.back() += double(tick.body.size());
            }
        },
        0);
    require(bytes.size() == turns + 1, "G: the agent's turns");
    out("weft", "G", "react: bytes stored for turn 2", bytes[early], "B");
    out("weft", "G", "react: bytes stored for turn 200", bytes[late], "B");
    out("ratio", "G", "react: bytes stored for turn 200 / turn 2", bytes[late] / bytes[early], "x");
}
