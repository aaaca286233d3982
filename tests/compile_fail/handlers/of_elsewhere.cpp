// only a step that accepts StepFailedEvent or FailedEvent takes failures of others
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
GreetingEvent excuse(Context&, StepFailedEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.of<excuse>(), step<excuse>);
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.of<greet>());
#endif
