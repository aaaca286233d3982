// The first part of an ending: all other work of the run is given up.
#pragma once
#include "engine/core/machine/reducer.hpp"

namespace weft::core {
/// Drops queued and kept events, open questions and fan-outs, and cancels the invocations at work, which end as
/// dropped.
void abandon_all(State&, Commands&);
/// Whether a question is open.
bool has_question(const Plan&, const State&);
}
