// ctx.run has a header of its own
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "engine/workflow.hpp"
#ifndef WRONG
#include "engine/run.hpp"
#endif
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
inline constexpr auto hello = workflow("hello", step<greet>);
struct PartyEvent : StartEvent {};
struct OverEvent : StopEvent {};
awaitable<OverEvent> welcome(Context& ctx, PartyEvent, const BoundOf<hello>& bound) {
    NameEvent name;
    (void)co_await ctx.run(bound, name);
    co_return OverEvent{};
}
inline constexpr auto party = workflow("party", step<welcome>);
