// Other events than the last one of a run have no outcome.
#include "steps/agents/common/outcome.hpp"
#include "engine/ending.hpp"
#include "engine/run.hpp"

namespace weft::agents {
std::optional<Outcome> outcome_of(const AnyEvent& event) {
    if (const auto* answer = event.get_if<AnswerEvent>()) return answer->outcome;
    const auto* ending = ending_of(event);
    if (!ending) return std::nullopt;
    return ending->counts_as == Cause::cancelled   ? Outcome::cancelled
           : ending->counts_as == Cause::timed_out ? Outcome::timed_out
                                                   : Outcome::failed;
}
}
