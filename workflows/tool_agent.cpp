// A model without tools answers through react, in words. If a form is required, another request follows for it.
#include "workflows/tool_agent.hpp"
#include "engine/durable.hpp"
#include "engine/error.hpp"
#include "engine/run.hpp"
#include "steps/agents/common/ask_for.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "workflows/react.hpp"

namespace weft::workflows {
namespace {
awaitable<models::ChatReply> ask_once(Context& ctx, models::ChatModel& model, models::ChatRequest request,
                                      const agents::ReactOptions& options) {
    auto asked = co_await agents::ask_model(ctx, model, std::move(request), options);
    if (asked.unasked)
        throw agents::AgentError(ctx, Code::model_failed,
                                 "the budget of the run is spent, and its last answer does not fit the schema: raise "
                                 "the budget");
    co_return std::move(asked.reply);
}
/// Asks the model for the answer of react in the required form.
awaitable<std::string> in_form(Context& ctx, const agents::AnswerEvent& answer, std::string question,
                               models::ChatModel& model, const agents::ToolAgentOptions& options) {
    const auto read = options.form->read(answer.response);
    if (read.mistake.empty()) co_return read.value.dump();
    if (answer.outcome != agents::AnswerOutcome::answered)
        throw Error(Code::model_failed,
                    "the run came to its limit, and its last answer does not fit the schema: " + read.mistake);
    models::ChatRequest request;
    request.messages.push_back(models::user(std::move(question)));
    request.messages.push_back(models::assistant(answer.response));
    request.messages.push_back(models::user("Give this answer as JSON."));
    request.sampling = options.sampling;
    const agents::AskModel ask = [&](models::ChatRequest one) { return ask_once(ctx, model, std::move(one), options); };
    const auto value = co_await agents::ask_json(ask, std::move(request), options.form);
    co_return value.dump();
}
}

awaitable<agents::AnswerEvent> answer_in_text(Context& ctx, agents::TextAgentEvent event, models::ChatModel& model,
                                              agents::Memory& memory, const tools::Registry& tools,
                                              const agents::ToolAgentOptions& options) {
    agents::ReactOptions in_text = options;
    agents::leave_rest(in_text, ctx.get<agents::Progress>());
    // The child has its records in the journal of the run, so that it resumes after a crash.
    auto agent = durable(react.with(model, agents::text_dialect, memory, tools, in_text));
    agents::UserMessageEvent start;
    start.text = event.question;
    auto answer = co_await ctx.run(std::move(agent), std::move(start));
    ctx.edit<agents::Progress>([&answer](auto& progress) {
        add(progress.spent, agents::spent_by(answer));
        progress.steps = answer.steps;
    });
    if (options.form) { answer.response = co_await in_form(ctx, answer, std::move(event.question), model, options); }
    agents::tell_spent(answer, ctx.get<agents::Progress>());
    co_return answer;
}
}
