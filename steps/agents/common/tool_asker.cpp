// What tools tell and ask while they run, as events and questions of the run.
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/run.hpp"
#include "steps/agents/common/asking.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/tool_question.hpp"
#include <nlohmann/json.hpp>

namespace weft::agents {
ToolQuestionEvent put_tool_question(Context&, AskPersonEvent asked) {
    ToolQuestionEvent question;
    question.id = std::move(asked.id);
    question.tool = std::move(asked.tool);
    question.from = std::move(asked.from);
    question.message = std::move(asked.message);
    question.form = std::move(asked.form);
    question.mistake = std::move(asked.mistake);
    return question;
}
PersonAnsweredEvent take_tool_answer(Context&, ToolAnswerEvent answer) {
    PersonAnsweredEvent answered;
    answered.action = answer.action;
    answered.content = std::move(answer.content);
    return answered;
}

void ToolAsker::begin_call(std::string id, std::string tool, std::string key, std::size_t number) {
    id_ = std::move(id);
    tool_ = std::move(tool);
    key_ = std::move(key);
    effect_ = "call " + std::to_string(number);
    effects_ = 0;
    begin_counting();
}
nlohmann::json ToolAsker::values() const { return ctx_.values(); }
void ToolAsker::tell(Told told) {
    ctx_.stream(ToolProgressEvent{id_, tool_, told.done, told.total, std::move(told.text)});
}
awaitable<std::optional<tools::Observation>> ToolAsker::at_most_once(awaitable<tools::Observation> work) {
    return ctx_.at_most_once(effect_ + '.' + std::to_string(++effects_), std::move(work));
}
awaitable<tools::ToolAnswer> ToolAsker::put(tools::ToolQuestion question) {
    tools::ToolAnswer answer;
    AskPersonEvent asked;
    asked.id = id_;
    asked.tool = tool_;
    asked.from = std::move(question.from);
    asked.message = std::move(question.message);
    asked.form = std::move(question.form);
    asked.mistake = std::move(question.mistake);
    Bound<std::remove_cvref_t<decltype(tool_question)>> child = durable<>(tool_question);
    auto said = co_await ctx_.run(std::move(child), std::move(asked));
    answer.action = said.action;
    answer.content = std::move(said.content);
    co_return answer;
}
}
