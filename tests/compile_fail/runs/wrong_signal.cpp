// this workflow consumes no such event
#include "engine/run.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct PauseEvent : SignalEvent {};
struct OtherEvent : SignalEvent {};
struct GreetingEvent : StopEvent {};
void wait(Context&, NameEvent) {}
GreetingEvent greet(Context&, PauseEvent) { return {}; }
inline constexpr auto hello = workflow("hello", step<wait>, step<greet>);
void pause(RunOf<hello> run) {
#ifdef WRONG
    run.send(OtherEvent{});
#else
    run.send(PauseEvent{});
#endif
}
