// sleep_for takes a time with its unit
#include "engine/timeout.hpp"
using namespace weft;
#ifdef WRONG
awaitable<void> wait() { co_await sleep_for(5); }
#else
awaitable<void> wait() { co_await sleep_for(std::chrono::seconds(5)); }
#endif
