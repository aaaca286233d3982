// A model without tools answers through react, in words; a form that is wanted is asked for afterwards, once more.
#include "workflows/tool_agent.hpp"
#include "engine/error.hpp"
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include "steps/react/limits.hpp"
#include "steps/react/text_dialect.hpp"
#include "steps/structured/ask_for.hpp"
#include "workflows/react.hpp"

namespace weft::workflows {
namespace {
/// What talks in text has answered in words: the model is asked for the same in the form that is wanted.
awaitable<std::string> in_form(Context& ctx, const steps::AnswerEvent& answer, std::string question,
                               llm::ChatModel& model, const steps::ToolAgentOptions& options) {
    const auto read = options.form->read(answer.response);
    if (read.mistake.empty()) co_return read.value.dump();
    if (answer.outcome != steps::Outcome::answered)
        throw Error(Code::model_failed,
                    "the run came to its limit, and its last answer does not fit the schema: " + read.mistake);
    auto& clock = co_await this_clock();
    llm::ChatRequest request;
    request.messages.push_back(llm::user(std::move(question)));
    request.messages.push_back(llm::assistant(answer.response));
    request.messages.push_back(llm::user("Give this answer as JSON."));
    request.sampling = options.sampling;
    steps::prepare_request(ctx, request, options, clock.now());
    const steps::OnReply count = [&](const llm::ChatReply& reply) {
        steps::count_reply(ctx, request, reply, model, options, clock.now());
    };
    auto asking = steps::ask_json(model, request, options.form, 2, count);
    const auto value = co_await std::move(asking);
    co_return value.dump();
}
}

awaitable<steps::AnswerEvent> answer_in_text(Context& ctx, steps::TextAgentEvent event, llm::ChatModel& model,
                                             steps::Memory& memory, const tools::Registry& tools,
                                             const steps::ToolAgentOptions& options) {
    steps::ReactOptions in_text = options;
    in_text.budget = steps::left_of(options.budget, ctx.get<steps::Progress>().spent);
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
