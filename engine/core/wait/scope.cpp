// The first wait of a cancelled scope is told so; the second one is not begun.
#include "engine/core/wait/scope.hpp"
#include "engine/error.hpp"
#include <utility>

namespace weft::core {
void refuse_within_all(const char* what) {
    throw Error(Code::usage, std::string(what) +
                                 " was called in a part of all(), which goes on side by side with others, so its order "
                                 "would not be the same after a crash: record the whole, by ctx.once(name, work) with "
                                 "work that awaits all()");
}
void refuse_second_await() {
    throw Error(Code::usage, "this awaitable was awaited, or moved away, already: it is awaited once, so call the "
                             "function again for another one");
}
void Scope::refuse() {
    if (!std::exchange(delivered_, true)) throw_aborted();
}
}
