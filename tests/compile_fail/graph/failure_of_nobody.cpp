// no step of this workflow accepts the input of this failure: FailedEvent<E> is for the failures of steps
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct DraftEvent {};
struct GreetingEvent : StopEvent {};
std::vector<DraftEvent> draft(Context&, NameEvent);
GreetingEvent gather(Context&, std::vector<DraftEvent>);
#ifdef WRONG
GreetingEvent apologise(Context&, FailedEvent<DraftEvent>);
#else
GreetingEvent apologise(Context&, FailedEvent<std::vector<DraftEvent>>);
#endif
inline constexpr auto hello = workflow("hello", step<draft>, step<gather>, step<apologise>);
