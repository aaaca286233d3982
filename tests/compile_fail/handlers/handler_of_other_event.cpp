// of_names_a_step_whose_failures_do_not_fit_the_handler
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct DraftEvent {};
struct GreetingEvent : StopEvent {};
DraftEvent draft(Context&, NameEvent);
GreetingEvent polish(Context&, DraftEvent);
GreetingEvent leave_rough(Context&, FailedEvent<DraftEvent>);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<draft>, step<polish>, step<leave_rough>.of<draft>());
#else
inline constexpr auto hello = workflow("hello", step<draft>, step<polish>, step<leave_rough>.of<polish>());
#endif
