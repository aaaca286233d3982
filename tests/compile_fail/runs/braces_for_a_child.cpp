// ctx.run takes no braces
#include "engine/run.hpp"
using namespace weft;
struct NameEvent : StartEvent {
    std::string text;
};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
struct PartyEvent : StartEvent {};
struct OverEvent : StopEvent {};
awaitable<OverEvent> welcome(Context& ctx, PartyEvent) {
#ifdef WRONG
    auto work = ctx.run(hello, {.text = "World"});
    (void)co_await std::move(work);
#else
    NameEvent name{.text = "World"};
    (void)co_await ctx.run(hello, std::move(name));
#endif
    co_return OverEvent{};
}
inline constexpr auto party = workflow("party", step<welcome>);
