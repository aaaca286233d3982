// a workflow accepts exactly one StartEvent
#include "engine/workflow.hpp"
using namespace weft;
#ifdef WRONG
struct NameEvent : HumanResponseEvent {};
#else
struct NameEvent : StartEvent {};
#endif
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
inline constexpr auto hello = workflow("hello", step<greet>);
