// a failure handler accepts one event, StepFailedEvent or FailedEvent, and joins nothing
#include "engine/workflow.hpp"
using namespace weft;
struct TripEvent : StartEvent {};
struct WeatherEvent {};
struct AdviceEvent : StopEvent {};
std::variant<WeatherEvent, AdviceEvent> look(Context&, TripEvent);
AdviceEvent advise(Context&, WeatherEvent);
#ifdef WRONG
AdviceEvent guess(Context&, WeatherEvent, StepFailedEvent);
#else
AdviceEvent guess(Context&, StepFailedEvent);
#endif
inline constexpr auto trip = workflow("trip", step<look>, step<advise>, step<guess>);
