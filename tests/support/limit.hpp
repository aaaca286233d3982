// The time limit of any wait in a test: only a hang takes longer, because tests may not depend on a machine's speed.
#pragma once
#include <chrono>

namespace test {
inline constexpr std::chrono::seconds limit{600};  // for Python: tests/support/limit.py
}
