// a_step_recovers_at_most_255_times
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
GreetingEvent excuse(Context&, StepFailedEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.recoveries(300));
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.recoveries(255));
#endif
