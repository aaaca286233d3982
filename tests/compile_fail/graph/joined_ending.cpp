// an undo step accepts one event, RunEndingEvent: it joins and collects nothing
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
#ifdef WRONG
void undo(Context&, std::vector<RunEndingEvent>);
#else
void undo(Context&, RunEndingEvent);
#endif
inline constexpr auto hello = workflow("hello", step<greet>, step<undo>);
