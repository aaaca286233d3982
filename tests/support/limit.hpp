// How long anything in a test may take: only a hang takes longer, as nothing may depend on how fast a machine is.
#pragma once
#include <chrono>

namespace test {
inline constexpr std::chrono::seconds limit{600};  // tests/support/limit.py has that of Python
}
