// no step of this workflow accepts this event
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
struct DraftEvent {};
DraftEvent draft(Context&, NameEvent);
GreetingEvent greet(Context&, DraftEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<draft>);
#else
inline constexpr auto hello = workflow("hello", step<draft>, step<greet>);
#endif
