// Turns the progress and the questions of running tools into events and questions of the run.
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/run.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/common/tool_question.hpp"
#include "tools/sha256.hpp"
#include <nlohmann/json.hpp>

namespace weft::agents {
namespace {
constexpr int most_old_questions = 200;  // questions of earlier attempts of this call
/// A hash of all texts that the person sees.
std::string print_of(const tools::ToolQuestion& question) {
    std::string all;
    for (const auto* part : {&question.from, &question.message, &question.form.text, &question.mistake})
        all += std::to_string(part->size()) + ':' + *part;
    return tools::sha256(all);
}
}
ToolQuestionEvent put_tool_question(Context& ctx, AskPersonEvent asked) {
    ctx.edit<QuestionPrint>([&](auto& print) { print.text = std::move(asked.fingerprint); });
    ToolQuestionEvent question;
    question.id = std::move(asked.id);
    question.tool = std::move(asked.tool);
    question.from = std::move(asked.from);
    question.message = std::move(asked.message);
    question.form = std::move(asked.form);
    question.mistake = std::move(asked.mistake);
    question.once = asked.once;
    return question;
}
PersonAnsweredEvent take_tool_answer(Context& ctx, ToolAnswerEvent answer) {
    return {
        .action = answer.action, .content = std::move(answer.content), .fingerprint = ctx.get<QuestionPrint>().text};
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
void ToolAsker::tell(ProgressReport told) {
    ctx_.stream(ToolProgressEvent{id_, tool_, told.done, told.total, std::move(told.text)});
}
awaitable<std::optional<tools::Observation>> ToolAsker::at_most_once(awaitable<tools::Observation> work) {
    struct UnderWay {
        explicit UnderWay(int& n) : count(n) { ++count; }
        UnderWay(const UnderWay&) = delete;
        ~UnderWay() { --count; }
        int& count;
    };
    const UnderWay now(under_way_);
    auto doing = ctx_.at_most_once(effect_ + '.' + std::to_string(++effects_), std::move(work));
    auto observation = co_await std::move(doing);
    co_return observation;
}
/// The answer to the next question of this call; empty if another process closed the question without an answer.
awaitable<std::optional<PersonAnsweredEvent>> ToolAsker::answer_to(AskPersonEvent asked) {
    Bound<std::remove_cvref_t<decltype(tool_question)>> child = durable(tool_question);
    auto asking = ctx_.run(std::move(child), std::move(asked));
    try {
        auto said = co_await std::move(asking);
        co_return std::move(said);
    } catch (const RunError& error) {
        if (error.code() != Code::cancelled) throw;
    }
    co_return std::nullopt;
}
awaitable<tools::ToolAnswer> ToolAsker::put(tools::ToolQuestion question) {
    tools::ToolAnswer answer;
    AskPersonEvent asked;
    asked.id = id_;
    asked.tool = tool_;
    asked.once = under_way_ > 0;
    asked.fingerprint = print_of(question);
    asked.from = std::move(question.from);
    asked.message = std::move(question.message);
    asked.form = std::move(question.form);
    asked.mistake = std::move(question.mistake);
    for (int old = 0; old < most_old_questions; ++old) {
        auto asking = answer_to(asked);
        auto said = co_await std::move(asking);
        if (!said || said->fingerprint != asked.fingerprint) continue;
        answer.action = said->action;
        answer.content = std::move(said->content);
        co_return answer;
    }
    throw tools::ToolError("the call was ended, because each of its attempts asked other questions");
}
}
