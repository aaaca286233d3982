// Only the terminal event of a run has an outcome.
#include "steps/agents/common/outcome.hpp"
#include "engine/ending.hpp"
#include "engine/run.hpp"
#include <boost/describe/enum_from_string.hpp>

namespace weft::agents {
std::optional<AnswerOutcome> outcome_of(const AnyEvent& event) {
    if (const auto* answer = event.get_if<AnswerEvent>()) return answer->outcome;
    const auto* ending = ending_of(event);
    if (!ending) return std::nullopt;
    auto outcome = AnswerOutcome::failed;
    boost::describe::enum_from_string(name(ending->status).data(), outcome);
    return outcome;
}
}
