#include "workflows/tool_agent.hpp"
#include "engine/run.hpp"
#include "steps/react/text_dialect.hpp"
#include "steps/structured/ask_for.hpp"
#include "workflows/react.hpp"

namespace weft::workflows {
namespace {
/// What talks in text has answered in words: the model is asked for the same in the form that is wanted.
awaitable<std::string> in_form(const steps::AnswerEvent& answer, std::string question, llm::ChatModel& model,
                               const steps::ToolAgentOptions& options) {
    const auto read = options.form->read(answer.response);
    if (read.mistake.empty()) co_return read.value.dump();
    llm::ChatRequest request;
    request.messages.push_back(llm::user(std::move(question)));
    request.messages.push_back(llm::assistant(answer.response));
    request.messages.push_back(llm::user("Give this answer as JSON."));
    request.sampling = options.sampling;
    auto asking = steps::ask_json(model, std::move(request), options.form);
    const auto value = co_await std::move(asking);
    co_return value.dump();
}
}

awaitable<steps::AnswerEvent> answer_in_text(Context& ctx, steps::TextAgentEvent event, llm::ChatModel& model,
                                             steps::Memory& memory, const tools::Registry& tools,
                                             const steps::ToolAgentOptions& options) {
    const steps::ReactOptions in_text = options;
    auto agent = react.with(model, steps::text_dialect, memory, tools, in_text);
    steps::UserMessageEvent start;
    start.text = event.question;
    auto answer = co_await ctx.run(std::move(agent), std::move(start));
    const bool real = answer.outcome == steps::Outcome::answered;
    if (options.form && real) {
        auto shaping = in_form(answer, std::move(event.question), model, options);
        answer.response = co_await std::move(shaping);
    }
    co_return answer;
}
}
