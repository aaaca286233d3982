// The outcome of an agent's run, from the last event of its stream.
#pragma once
#include "steps/agents/common/events.hpp"
#include <optional>

namespace weft {
class AnyEvent;
}
namespace weft::agents {
/// Empty if the event does not end a run.
std::optional<AnswerOutcome> outcome_of(const AnyEvent& event);
}
