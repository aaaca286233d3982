// only a step that accepts StepFailedEvent or FailedEvent recovers others
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
GreetingEvent excuse(Context&, StepFailedEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.recoveries(2), step<excuse>);
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.recoveries(2));
#endif
