// a workflow is made of steps
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", greet);
#else
inline constexpr auto hello = workflow("hello", step<greet>);
#endif
