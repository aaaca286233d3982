// a step takes its event by value, or by const reference
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
GreetingEvent greet(Context&, NameEvent&) { return {}; }
#else
GreetingEvent greet(Context&, const NameEvent&) { return {}; }
#endif
inline constexpr auto hello = workflow("hello", step<greet>);
