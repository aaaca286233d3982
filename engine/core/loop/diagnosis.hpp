// Describes the present work of a run, or the events that it waits for.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <string>
#include <string_view>

namespace weft::core {
std::string diagnose(RunCore&);  // callable from any thread
/// For a run that is idle or only sleeps. Empty if no question is open, and no step sleeps.
std::string what_is_awaited(const RunCore&);
/// The beginning of each sleep in what_is_awaited(). Its end follows.
inline constexpr std::string_view sleep_words = "the end of a sleep at ";
}
