// a step does not emit StepFailedEvent
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
std::variant<GreetingEvent, StepFailedEvent> greet(Context&, NameEvent);
#else
GreetingEvent greet(Context&, NameEvent);
#endif
GreetingEvent excuse(Context&, StepFailedEvent);
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>);
