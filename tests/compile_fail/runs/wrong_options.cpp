// the options of a child are RunOptions
#include "engine/run.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
struct PartyEvent : StartEvent {};
struct OverEvent : StopEvent {};
awaitable<OverEvent> welcome(Context& ctx, PartyEvent) {
    NameEvent name;
#ifdef WRONG
    auto options = slots();
#else
    RunOptions options{.slots = slots()};
#endif
    (void)co_await ctx.run(hello, std::move(name), std::move(options));
    co_return OverEvent{};
}
inline constexpr auto party = workflow("party", step<welcome>);
