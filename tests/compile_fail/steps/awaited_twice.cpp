// an awaitable is awaited once: co_await std::move(it)
#include "engine/awaitable.hpp"
using namespace weft;
awaitable<int> one();
awaitable<int> twice() {
    auto it = one();
#ifdef WRONG
    co_return co_await it;
#else
    co_return co_await std::move(it);
#endif
}
