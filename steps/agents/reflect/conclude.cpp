// The steps and sources of sub-questions belong to the answer, at the place of their decomposition.
#include "steps/agents/reflect/conclude.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/reflect/ask.hpp"
#include "steps/agents/reflect/sub_answers.hpp"
#include <utility>

namespace weft::agents::inline reflect_steps {
namespace {
void add(AnswerEvent& to, SubAnswer answer) {
    std::move(answer.reasoning.begin(), answer.reasoning.end(), std::back_inserter(to.reasoning));
    std::move(answer.sources.begin(), answer.sources.end(), std::back_inserter(to.sources));
}
}

AnswerEvent conclude(Context& ctx, AnswerOutcome outcome, std::string response, bool real, const std::string& model) {
    LastStep last{outcome, take_reflection(ctx), std::move(response), real, ""};
    auto event = make_answer(ctx, std::move(last), model);
    const auto own = std::exchange(event.reasoning, {});
    event.sources.clear();
    for (const auto& step : own) {
        if (step.kind == ReasoningKind::observation && step.tool == decomposition) event.reasoning.push_back(step);
        else add_step(event, step);
        if (step.kind == ReasoningKind::action && step.tool == decomposition)
            for (auto& answer : sub_answers_of(ctx, step.call)) add(event, std::move(answer));
    }
    return event;
}
std::vector<RunExchange> lessons_of(Context& ctx, const AnswerEvent& event, const ReflectOptions& options) {
    std::vector<RunExchange> lessons;
    const auto run = ctx.run_id();
    if (options.remember_sub_answers)
        for (const auto& answer : ctx.get<SubAnswers>())
            if (answer.outcome == AnswerOutcome::answered)
                lessons.push_back({run.empty() ? run : run + "/" + std::to_string(answer.question.number),
                                   {answer.question.text, answer.text}});
    lessons.push_back({run, {ctx.get<Inquiry>().question, event.response}});
    return lessons;
}
}
