// a workflow emits exactly one StopEvent
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
void greet(Context&, NameEvent);
#else
GreetingEvent greet(Context&, NameEvent);
#endif
inline constexpr auto hello = workflow("hello", step<greet>);
