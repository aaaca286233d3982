// What a run says of itself: which step waits for what.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <string>

namespace weft::core {
std::string diagnose(RunCore&);               // from any thread
std::string what_is_awaited(const RunCore&);  // by an idle run; empty if no question is open
}
