// An event that was read gets its type back when somebody asks for it.
#include "engine/run.hpp"

namespace weft::core {
awaitable<std::optional<AnyEvent>> next_event_of(CoreRef core) {
    auto next = co_await next_published(core);
    if (!next) co_return std::nullopt;
    co_return AnyEvent(std::move(next));
}
}
