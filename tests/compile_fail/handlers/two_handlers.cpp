// two_steps_handle_the_failures_of_one_step
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
GreetingEvent excuse(Context&, StepFailedEvent);
GreetingEvent blame(Context&, StepFailedEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>, step<blame>);
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>, step<blame>.of<greet>());
#endif
