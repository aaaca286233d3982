// only the undo step, which accepts RunEndingEvent, limits the time of the undoing
#include "engine/workflow.hpp"
using namespace weft;
using namespace std::chrono_literals;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
void undo(Context&, RunEndingEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.within(3s), step<undo>);
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<undo>.within(3s));
#endif
