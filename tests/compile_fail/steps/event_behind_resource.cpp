// one that joins takes several events, by value and before the resources
#include "engine/workflow.hpp"
using namespace weft;
struct Map;
struct TripEvent : StartEvent {};
struct WeatherEvent {};
struct TrafficEvent {};
struct AdviceEvent : StopEvent {};
std::vector<std::variant<WeatherEvent, TrafficEvent>> look(Context&, TripEvent);
#ifdef WRONG
AdviceEvent advise(Context&, WeatherEvent, Map&, TrafficEvent);
#else
AdviceEvent advise(Context&, WeatherEvent, TrafficEvent, Map&);
#endif
inline constexpr auto trip = workflow("trip", step<look>, step<advise>);
