// Sub-questions may end in any order, so their answers are sorted by their numbers.
#include "steps/agents/reflect/sub_answers.hpp"
#include <algorithm>

namespace weft::agents::inline reflect_steps {
std::vector<SubAnswer> sub_answers_of(const Context& ctx, std::string_view call) {
    std::vector<SubAnswer> found;
    for (const auto& answer : ctx.get<SubAnswers>())
        if (answer.call == call) found.push_back(answer);
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.question.number < b.question.number; });
    return found;
}
std::string told(const SubAnswer& answer) {
    if (answer.outcome == AnswerOutcome::answered) return answer.text;
    if (answer.outcome == AnswerOutcome::limit)
        return "(uncertain: the limit was reached before it was answered) " + answer.text;
    return "(not answered, because this failed: " + answer.text + ")";
}
}
