// A model without tools answers through react, in words; a form that is wanted is asked for afterwards, once more.
#include "workflows/tool_agent.hpp"
#include "engine/error.hpp"
#include "engine/run.hpp"
#include "steps/react/asking.hpp"
#include "steps/react/limits.hpp"
#include "steps/react/text_dialect.hpp"
#include "steps/structured/ask_for.hpp"
#include "workflows/react.hpp"

namespace weft::workflows {
namespace {
awaitable<llm::ChatReply> ask_once(Context& ctx, llm::ChatModel& model, llm::ChatRequest request,
                                   const steps::ReactOptions& options) {
    auto asking = steps::ask_model(ctx, model, std::move(request), options);
    auto asked = co_await std::move(asking);
    if (asked.unasked)
        throw steps::AgentError(ctx, Code::model_failed,
                                "the budget of the run is spent, and its last answer does not fit the schema: give it "
                                "a larger one");
    co_return std::move(asked.reply);
}
/// What talks in text has answered in words: the model is asked for the same in the form that is wanted.
awaitable<std::string> in_form(Context& ctx, const steps::AnswerEvent& answer, std::string question,
                               llm::ChatModel& model, const steps::ToolAgentOptions& options) {
    const auto read = options.form->read(answer.response);
    if (read.mistake.empty()) co_return read.value.dump();
    if (answer.outcome != steps::Outcome::answered)
        throw Error(Code::model_failed,
                    "the run came to its limit, and its last answer does not fit the schema: " + read.mistake);
    llm::ChatRequest request;
    request.messages.push_back(llm::user(std::move(question)));
    request.messages.push_back(llm::assistant(answer.response));
    request.messages.push_back(llm::user("Give this answer as JSON."));
    request.sampling = options.sampling;
    const steps::AskFor ask = [&](llm::ChatRequest one) { return ask_once(ctx, model, std::move(one), options); };
    auto asking = steps::ask_json(ask, std::move(request), options.form);
    const auto value = co_await std::move(asking);
    co_return value.dump();
}
}

awaitable<steps::AnswerEvent> answer_in_text(Context& ctx, steps::TextAgentEvent event, llm::ChatModel& model,
                                             steps::Memory& memory, const tools::Registry& tools,
                                             const steps::ToolAgentOptions& options) {
    steps::ReactOptions in_text = options;
    steps::leave_rest(in_text, ctx.get<steps::Progress>());
    auto agent = react.with(model, steps::text_dialect, memory, tools, in_text);
    steps::UserMessageEvent start;
    start.text = event.question;
    auto answer = co_await ctx.run(std::move(agent), std::move(start));
    ctx.edit<steps::Progress>([&answer](auto& progress) {
        add(progress.spent, steps::spent_by(answer));
        progress.steps = answer.steps;
    });
    if (options.form) {
        auto shaping = in_form(ctx, answer, std::move(event.question), model, options);
        answer.response = co_await std::move(shaping);
    }
    steps::tell_spent(answer, ctx.get<steps::Progress>());
    co_return answer;
}
}
