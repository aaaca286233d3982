// a workflow emits exactly one StopEvent
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
struct RefusalEvent : StopEvent {};
#else
struct RefusalEvent : InputRequiredEvent {};
#endif
std::variant<GreetingEvent, RefusalEvent> greet(Context&, NameEvent);
inline constexpr auto hello = workflow("hello", step<greet>);
