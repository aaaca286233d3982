// a_step_that_recovers_does_so_at_least_once
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
GreetingEvent excuse(Context&, StepFailedEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.recoveries(0));
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.recoveries(1));
#endif
