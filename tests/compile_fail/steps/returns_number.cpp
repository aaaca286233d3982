// a step returns an event, which is a struct of yours
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct LengthEvent {
    int length = 0;
};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
awaitable<int> measure(Context&, NameEvent);
#else
awaitable<LengthEvent> measure(Context&, NameEvent);
#endif
GreetingEvent greet(Context&, LengthEvent);
inline constexpr auto hello = workflow("hello", step<measure>, step<greet>);
