// How an agent asks its model: every request of every agent goes through here. It keeps to what is left of the budget,
// streams notes of what happens on its way, and counts what it costs in the account of the run.
//
//     models::ChatRequest request;                              // messages, stop, sampling, tools
//     auto asked = co_await ask_model(ctx, model, std::move(request), options);
//     if (asked.too_long) co_return;                         // to the same turn once more, with a shorter prompt
//
// A prompt that the model refuses as too long is reported by a WarningEvent, and from then on prompt_bound() is half of
// its size; a second refusal, or one with nothing to leave out, is thrown. So is whatever else the model throws; the
// part that had come of a reply that broke off is streamed as a FaultEvent, if there was a listener. A reply that comes
// without having been told, as a recorded one does, is told to the listeners when it is there.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/clock.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/llm_tool.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/agents/common/reasoning.hpp"
#include "steps/models/model_error.hpp"

namespace weft::agents {
struct AskPersonEvent;  // steps/agents/common/tool_question.hpp
struct PersonAnsweredEvent;
struct Asked {
    models::ChatReply reply;
    bool too_long = false;  // there is none: a shorter prompt is wanted
    bool unasked = false;   // there is none: nothing is left of the budget for any request
};
/// `can_shorten`: there is more in the prompt that could be left out. A bound of retries that the request has is kept,
/// too. Throws Error{configuration} if there is a bound of cost and the reply has no price. The model and the listener
/// outlive the call.
awaitable<Asked> ask_model(Context&, models::ChatModel&, models::ChatRequest, const ReactOptions&, bool can_shorten,
                           const models::OnDelta&);
/// The same without a listener, for a prompt that cannot be shortened.
awaitable<Asked> ask_model(Context&, models::ChatModel&, models::ChatRequest, const ReactOptions&);

/// What the tools of a run are called with. Steps may run side by side, so what is spent on models is kept here, for
/// the step that writes down the observations.
class ToolAsker final : public Asker {
public:
    /// The clock is that of the run's loop.
    ToolAsker(Context& ctx, const ReactOptions& options, const Clock& clock)
        : Asker(clock), ctx_(ctx), options_(options) {}
    /// Adds the key of the tool's call to a request without a key.
    awaitable<models::ChatReply> ask(models::ChatModel&, models::ChatRequest) override;
    /// Takes the data of the next call of a tool: its id, its key, and its number in its step.
    void begin_call(std::string id, std::string tool, std::string key, std::size_t number);
    std::string key() const override { return key_; }
    std::optional<std::chrono::steady_clock::time_point> deadline() const override { return ctx_.deadline(); }
    nlohmann::json values() const override;
    awaitable<std::optional<tools::Observation>> at_most_once(awaitable<tools::Observation>) override;
    bool can_ask() const override { return !ctx_.run_id().empty(); }
    const Spent& spent() const { return spent_; }

private:
    void tell(Told) override;
    /// Asks by a question of the run: steps/agents/common/tool_question.hpp.
    awaitable<tools::ToolAnswer> put(tools::ToolQuestion) override;
    awaitable<std::optional<PersonAnsweredEvent>> answer_to(AskPersonEvent);
    Context& ctx_;
    const ReactOptions& options_;
    Spent spent_;
    std::string id_, tool_, key_, effect_;
    unsigned effects_ = 0;  // this call's effects that must not happen twice
    int under_way_ = 0;     // unfinished effects
};

/// What the run had spent when a step of it failed. The edits of that step are lost, so the exception carries it.
struct SpentUntilThen {
    explicit SpentUntilThen(Spent s) : spent(std::move(s)) {}
    virtual ~SpentUntilThen() = default;
    Spent spent;
};
/// Thrown when a run ends because of a reply of the model, or of a request without one.
struct AgentError : Error, SpentUntilThen {
    AgentError(const Context&, Code, const std::string& sentence);
};
struct AgentModelError : models::ModelError, SpentUntilThen {
    AgentModelError(const Context&, const models::ModelError&);
};
}
