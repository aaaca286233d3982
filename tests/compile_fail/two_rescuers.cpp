// at most one step of a workflow accepts StepFailedEvent
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
GreetingEvent excuse(Context&, StepFailedEvent);
#ifdef WRONG
GreetingEvent blame(Context&, StepFailedEvent);
#else
GreetingEvent blame(Context&, NameEvent);
#endif
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>, step<blame>);
