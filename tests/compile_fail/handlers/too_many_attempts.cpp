// a_step_makes_at_most_255_attempts
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.retry({.attempts = 256}));
#else
inline constexpr auto hello = workflow("hello", step<greet>.retry({.attempts = 255}));
#endif
