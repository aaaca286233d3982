// A react agent for tests: a model, tools that are functions, and a run on a clock that the test owns.
#pragma once
#include "engine/error.hpp"
#include "engine/loop.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/outcome.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tests/support/world.hpp"
#include "workflows/react.hpp"
#include <functional>
#include <nlohmann/json.hpp>

namespace test {
using namespace weft;
using namespace weft::agents;
using models::ScriptedModel;

/// A model that calls a function, and keeps its requests.
class AskedModel final : public models::ChatModel {
public:
    using Answer = std::function<models::ChatReply(const models::ChatRequest&)>;
    explicit AskedModel(Answer answer) : answer_(std::move(answer)) {}
    using ChatModel::chat;
    std::string name() const override { return "asked"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta&) override {
        requests.push_back(request);
        if (delay.count()) co_await sleep_for(delay);
        auto reply = answer_(request);
        co_return reply;
    }
    std::vector<models::ChatRequest> requests;
    Duration delay{0};

private:
    Answer answer_;
};
inline models::ChatReply say(std::string text, models::FinishReason finish = models::FinishReason::stop) {
    models::ChatReply reply;
    reply.text = std::move(text);
    reply.finish = finish;
    reply.usage = {10, 3};
    return reply;
}

class FunctionTool final : public tools::Tool {
public:
    using Function = std::function<tools::Observation(const nlohmann::json&)>;
    FunctionTool(std::string name, Function function)
        : name_(std::move(name)), description_("Does " + name_ + "."), function_(std::move(function)) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return description_; }
    const nlohmann::json& schema() const override { return schema_; }
    awaitable<tools::Observation> call(const nlohmann::json& arguments) override {
        auto observation = function_(arguments);
        co_return observation;
    }

private:
    std::string name_, description_;
    nlohmann::json schema_ = {{"type", "object"}};
    Function function_;
};
inline void add_tool(tools::Registry& registry, std::string name, FunctionTool::Function function) {
    registry.add(std::make_shared<FunctionTool>(std::move(name), std::move(function)));
}

/// The events and the outcome of a run.
struct Told {
    std::vector<std::string> names;  // of the events without deltas
    std::string thought, answer;     // of the deltas
    std::vector<ObservationEvent> observations;
    std::vector<FaultEvent> faults;
    std::optional<AnswerOutcome> outcome;  // from the last event
    AnswerEvent result;
    std::string error;
};
inline void hear(Told& told, const AnyEvent& event) {
    told.outcome = outcome_of(event);
    if (auto* thought = event.get_if<ThoughtDeltaEvent>()) told.thought += thought->text;
    else if (auto* answer = event.get_if<AnswerDeltaEvent>()) told.answer += answer->text;
    else if (!event.name().ends_with("DeltaEvent")) told.names.emplace_back(event.name());
    if (auto* seen = event.get_if<ObservationEvent>()) told.observations.push_back(*seen);
    if (auto* fault = event.get_if<FaultEvent>()) told.faults.push_back(*fault);
    if (auto* answer = event.get_if<AnswerEvent>()) told.result = *answer;
    if (auto* failed = event.get_if<RunFailedEvent>()) told.error = failed->step + ": " + failed->error;
}
template <class R> awaitable<void> listen(R run, Told& told) {
    while (auto event = co_await run.next_event()) hear(told, *event);
}

struct Agent {
    tools::Registry tools;
    const Dialect* dialect = &text_dialect;
    ConversationMemory memory;
    ReactOptions options;
    testing::ManualClock clock;
    std::uint64_t asked = 0;

    Told ask(models::ChatModel& model, const std::string& question, const RunOptions& run_options = {}) {
        return ask_all(model, {question}, run_options).front();
    }
    /// Executes all runs in parallel on one loop.
    std::vector<Told> ask_all(models::ChatModel& model, const std::vector<std::string>& questions,
                              const RunOptions& run_options = {}) {
        asio::io_context io{1};
        Loop loop(Runtime{io.get_executor(), &clock}, {.seed = ++asked});  // a new seed gives new run ids
        const auto agent = workflows::react.with(model, *dialect, memory, tools, options);
        std::vector<Told> told(questions.size());
        for (std::size_t i = 0; i < questions.size(); ++i) {
            UserMessageEvent question;
            question.text = questions[i];
            spawn(io.get_executor(), listen(loop.start(agent, question, run_options), told[i]), asio::detached);
        }
        testing::drive(io, clock);
        return told;
    }
};
}
