// a step that joins several events takes each type once: collect several of one type as a vector
#include "engine/workflow.hpp"
using namespace weft;
struct TripEvent : StartEvent {};
struct WeatherEvent {};
struct TrafficEvent {};
struct AdviceEvent : StopEvent {};
std::vector<std::variant<WeatherEvent, TrafficEvent>> look(Context&, TripEvent);
#ifdef WRONG
AdviceEvent advise(Context&, WeatherEvent, TrafficEvent, WeatherEvent);
#else
AdviceEvent advise(Context&, WeatherEvent, TrafficEvent);
#endif
inline constexpr auto trip = workflow("trip", step<look>, step<advise>);
