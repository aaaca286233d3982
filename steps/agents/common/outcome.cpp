// Only the terminal event of a run has an outcome.
#include "steps/agents/common/outcome.hpp"
#include "engine/ending.hpp"
#include "engine/run.hpp"

namespace weft::agents {
std::optional<AnswerOutcome> outcome_of(const AnyEvent& event) {
    if (const auto* answer = event.get_if<AnswerEvent>()) return answer->outcome;
    const auto* ending = ending_of(event);
    if (!ending) return std::nullopt;
    return ending->status == RunStatus::cancelled   ? AnswerOutcome::cancelled
           : ending->status == RunStatus::timed_out ? AnswerOutcome::timed_out
                                                    : AnswerOutcome::failed;
}
}
