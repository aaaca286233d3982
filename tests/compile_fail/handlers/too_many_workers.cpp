// a_step_has_at_most_1000000_workers
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.workers(1'000'001));
#else
inline constexpr auto hello = workflow("hello", step<greet>.workers(1'000'000));
#endif
