// declared with
#include "engine/all.hpp"
#include "engine/timeout.hpp"
#pragma GCC diagnostic error "-Wunused-value"
#pragma GCC diagnostic error "-Wunused-result"
using namespace weft;
#ifdef WRONG
#define AWAIT
#else
#define AWAIT co_await
#endif
awaitable<void> wait() { AWAIT sleep_for(std::chrono::seconds(1)); }
