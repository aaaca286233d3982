// a workflow has at most one step that accepts RunEndingEvent
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
void undo(Context&, RunEndingEvent);
void say_sorry(Context&, RunEndingEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>, step<undo>, step<say_sorry>);
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<undo>);
#endif
