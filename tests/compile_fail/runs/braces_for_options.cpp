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
    NameEvent name{.text = "World"};
    auto work = ctx.run(hello, std::move(name), {.id = "child"});
    (void)co_await std::move(work);
#else
    RunOptions options{.id = "child"};
    NameEvent name{.text = "World"};
    (void)co_await ctx.run(hello, std::move(name), std::move(options));
#endif
    co_return OverEvent{};
}
inline constexpr auto party = workflow("party", step<welcome>);
