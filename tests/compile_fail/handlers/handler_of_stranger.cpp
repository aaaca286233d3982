// of_names_a_step_that_is_not_in_this_workflow
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
GreetingEvent wave(Context&, NameEvent);
GreetingEvent excuse(Context&, StepFailedEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.of<wave>());
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<excuse>.of<greet>());
#endif
