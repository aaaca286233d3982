// no step can accept this event, because it leaves the run
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
std::variant<GreetingEvent> greet(Context&, NameEvent);
void log(Context&, GreetingEvent);
#else
GreetingEvent greet(Context&, NameEvent);
void log(Context&, NameEvent);
#endif
inline constexpr auto hello = workflow("hello", step<greet>, step<log>);
