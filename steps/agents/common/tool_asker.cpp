// What a call tells goes through a bucket: a tool that tells too much costs the stream little.
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/run.hpp"
#include "engine/utf8.hpp"
#include "steps/agents/common/asking.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/tool_question.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents {
namespace {
constexpr double told_at_once = 20, told_in_a_second = 10;
constexpr int most_told_by_a_call = 1000;
constexpr std::size_t most_asked = 4000, most_asker = 200, most_form = 64u << 10;
std::string cut_to(const std::string& text, std::size_t most) { return repair_utf8(utf8_cut(text, most)); }
}
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
    may_tell_ = told_at_once;
    told_ = 0;
    last_told_ = clock_.now();
}
nlohmann::json ToolAsker::values() const { return ctx_.values(); }
void ToolAsker::tell(Told told) {
    const auto now = clock_.now();
    const auto since = std::chrono::duration<double>(now - last_told_).count();
    last_told_ = now;
    may_tell_ = std::min(told_at_once, may_tell_ + since * told_in_a_second);
    const bool is_all = told.done && told.total && *told.done >= *told.total;
    if (told_ >= most_told_by_a_call || (may_tell_ < 1 && !is_all)) return;
    may_tell_ = std::max(0.0, may_tell_ - 1);
    ++told_;
    ctx_.stream(ToolProgressEvent{id_, tool_, told.done, told.total, std::move(told.text)});
}
awaitable<std::optional<tools::Observation>> ToolAsker::at_most_once(awaitable<tools::Observation> work) {
    return ctx_.at_most_once(effect_ + '.' + std::to_string(++effects_), std::move(work));
}
awaitable<tools::ToolAnswer> ToolAsker::ask(tools::ToolQuestion question) {
    tools::ToolAnswer answer;
    if (!can_ask()) co_return answer;
    if (question.form.text.size() > most_form)
        throw tools::ToolError("the question has a form of more than 64 KiB, so it was not asked");
    AskPersonEvent asked;
    asked.id = id_;
    asked.tool = tool_;
    asked.from = cut_to(question.from, most_asker);
    asked.message = cut_to(question.message, most_asked);
    asked.form = std::move(question.form);
    asked.mistake = cut_to(question.mistake, most_asked);
    Bound<std::remove_cvref_t<decltype(tool_question)>> child = durable<>(tool_question);
    auto said = co_await ctx_.run(std::move(child), std::move(asked));
    answer.action = said.action;
    answer.content = std::move(said.content);
    co_return answer;
}
}
