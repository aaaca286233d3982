// ask_model sends every request of every agent. It keeps to the rest of the budget, streams a CallNoteEvent for each
// incident such as a retry, and counts the cost in the slots of the run.
//
//     models::ChatRequest request;                              // messages, stop, sampling, tools
//     auto asked = co_await ask_model(ctx, model, std::move(request), options);
//     if (asked.too_long) co_return;                         // repeat the turn with a shorter prompt
//
// If the model refuses a prompt as too long, ask_model streams a WarningEvent and sets prompt_bound() to half of the
// prompt's size. It throws a second such refusal, a refusal of a prompt that cannot be shortened, and all other
// exceptions of the model. If a reply breaks off and there is a listener, its first part is streamed as a FaultEvent.
// Listeners get a reply that was not streamed, such as a recorded one, in one piece at its end.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/clock.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/llm_tool.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/models/model_error.hpp"

namespace weft::agents {
struct AskPersonEvent;  // steps/agents/common/tool_question.hpp
struct PersonAnsweredEvent;
/// The result of ask_model: a reply, or the reason why there is none.
struct AskResult {
    models::ChatReply reply;
    bool too_long = false;  // no reply: repeat the turn with a shorter prompt
    bool unasked = false;   // no reply: the budget has no room for a request
};
/// `can_shorten`: the prompt has parts that can be left out. The request's own bound of retries holds, too. Throws
/// Error{configuration} if the budget bounds the cost and the reply has no price. The model and the listener must
/// outlive the call.
awaitable<AskResult> ask_model(Context&, models::ChatModel&, models::ChatRequest, const ReactOptions&, bool can_shorten,
                               const models::OnDelta&);
/// The same without a listener, for a prompt that cannot be shortened.
awaitable<AskResult> ask_model(Context&, models::ChatModel&, models::ChatRequest, const ReactOptions&);

/// The context that tools of a run are called with. Steps may run side by side, so it counts the tools' requests to
/// models by itself; the step that writes down the observations adds them to the slots.
class ToolAsker final : public ModelContext {
public:
    /// `clock` is the clock of the run's loop.
    ToolAsker(Context& ctx, const ReactOptions& options, const Clock& clock)
        : ModelContext(clock), ctx_(ctx), options_(options) {}
    /// Adds the key of the tool's call to a request without a key.
    awaitable<models::ChatReply> ask(models::ChatModel&, models::ChatRequest) override;
    /// Takes the data of the next call of a tool: its id, its key, and its number in its step.
    void begin_call(std::string id, std::string tool, std::string key, std::size_t number);
    std::string key() const override { return key_; }
    std::optional<std::chrono::steady_clock::time_point> deadline() const override { return ctx_.deadline(); }
    nlohmann::json values() const override;
    awaitable<std::optional<tools::Observation>> at_most_once(awaitable<tools::Observation>) override;
    bool can_ask() const override { return !ctx_.run_id().empty(); }
    /// The costs of the requests that tools have sent through this object.
    const Spent& spent() const { return spent_; }

private:
    void tell(ProgressReport) override;
    /// Asks the person through a question of the run: steps/agents/common/tool_question.hpp.
    awaitable<tools::ToolAnswer> put(tools::ToolQuestion) override;
    awaitable<std::optional<PersonAnsweredEvent>> answer_to(AskPersonEvent);
    Context& ctx_;
    const ReactOptions& options_;
    Spent spent_;
    std::string id_, tool_, key_, effect_;
    unsigned effects_ = 0;  // number of this call's at-most-once effects
    int under_way_ = 0;     // unfinished effects
};

/// Base of exceptions that carry the costs of the run: the engine drops the edits of a failed step.
struct SpentBeforeFailure {
    explicit SpentBeforeFailure(Spent s) : spent(std::move(s)) {}
    virtual ~SpentBeforeFailure() = default;
    Spent spent;  // costs of the run until the failure
};
/// Thrown when a run ends because of a reply, or of a request without a reply.
struct AgentError : Error, SpentBeforeFailure {
    AgentError(const Context&, Code, const std::string& sentence);
};
/// A failure of the model's call (steps/models/model_error.hpp), with the costs of the run.
struct AgentModelError : models::ModelError, SpentBeforeFailure {
    AgentModelError(const Context&, const models::ModelError&);
};
}
