// Describes the present work of a run, or the events that it waits for.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <string>

namespace weft::core {
std::string diagnose(RunCore&);               // callable from any thread
std::string what_is_awaited(const RunCore&);  // for an idle run; empty if no question is open
}
