// ctx.once and ctx.at_most_once have a header of their own
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "engine/workflow.hpp"
#ifndef WRONG
#include "engine/once.hpp"
#endif
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
awaitable<int> look_up();
awaitable<GreetingEvent> greet(Context& ctx, NameEvent) {
    auto looking = look_up();
    (void)co_await ctx.once("look", std::move(looking));
    co_return GreetingEvent{};
}
inline constexpr auto hello = workflow("hello", step<greet>);
