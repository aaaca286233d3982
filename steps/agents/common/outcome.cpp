// Other events than the last one of a run have no outcome.
#include "steps/agents/common/outcome.hpp"
#include "engine/run.hpp"
#include "engine/terminal.hpp"

namespace weft::agents {
std::optional<Outcome> outcome_of(const AnyEvent& event) {
    if (const auto* answer = event.get_if<AnswerEvent>()) return answer->outcome;
    if (event.get_if<RunFailedEvent>()) return Outcome::failed;
    if (event.get_if<RunCancelledEvent>()) return Outcome::cancelled;
    if (event.get_if<RunTimedOutEvent>()) return Outcome::timed_out;
    return std::nullopt;
}
}
