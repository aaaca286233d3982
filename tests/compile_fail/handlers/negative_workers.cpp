// a_step_needs_at_least_one_worker
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.workers(-1));
#else
inline constexpr auto hello = workflow("hello", step<greet>.workers(1));
#endif
