// no step of this workflow emits this event: return it from a step
#include "engine/workflow.hpp"
using namespace weft;
struct TripEvent : StartEvent {};
struct WeatherEvent {};
struct TrafficEvent {};
struct AdviceEvent : StopEvent {};
#ifdef WRONG
std::vector<WeatherEvent> look(Context&, TripEvent);
#else
std::vector<std::variant<WeatherEvent, TrafficEvent>> look(Context&, TripEvent);
#endif
AdviceEvent advise(Context&, WeatherEvent, TrafficEvent);
inline constexpr auto trip = workflow("trip", step<look>, step<advise>);
