// a step that joins several events cannot collect a vector as one of them: collect it in a step before
#include "engine/workflow.hpp"
using namespace weft;
struct TripEvent : StartEvent {};
struct WeatherEvent {};
struct TrafficEvent {};
struct AdviceEvent : StopEvent {};
std::vector<std::variant<WeatherEvent, TrafficEvent>> look(Context&, TripEvent);
#ifdef WRONG
AdviceEvent advise(Context&, TrafficEvent, std::vector<WeatherEvent>);
#else
AdviceEvent advise(Context&, TrafficEvent, WeatherEvent);
#endif
inline constexpr auto trip = workflow("trip", step<look>, step<advise>);
