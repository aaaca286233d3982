// Describes the present work of a run, or the events that it waits for.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <string>

namespace weft::core {
std::string diagnose(RunCore&);  // callable from any thread
/// For a run that is idle or only sleeps. Empty if no question is open, and no step sleeps.
std::string what_is_awaited(const RunCore&);
}
