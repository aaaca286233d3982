// a step does not emit RunEndingEvent
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
std::variant<GreetingEvent, RunEndingEvent> greet(Context&, NameEvent);
#else
GreetingEvent greet(Context&, NameEvent);
#endif
void undo(Context&, RunEndingEvent);
inline constexpr auto hello = workflow("hello", step<greet>, step<undo>);
