// this cannot be awaited; for Asio operations include engine/asio.hpp
#include "engine/awaitable.hpp"
using namespace weft;
awaitable<int> one();
struct Value {};
Value value();
awaitable<void> wait() {
#ifdef WRONG
    co_await value();
#else
    co_await one();
#endif
}
