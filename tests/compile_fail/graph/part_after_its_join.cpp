// this step can never run, or can never lead to the stop event
#include "engine/workflow.hpp"
using namespace weft;
struct TripEvent : StartEvent {};
struct WeatherEvent {};
struct TrafficEvent {};
struct AdviceEvent : StopEvent {};
struct SecondLookEvent {};
#ifdef WRONG
WeatherEvent look(Context&, TripEvent);
#else
std::vector<std::variant<WeatherEvent, TrafficEvent>> look(Context&, TripEvent);
#endif
std::variant<AdviceEvent, SecondLookEvent> advise(Context&, WeatherEvent, TrafficEvent);
TrafficEvent look_again(Context&, SecondLookEvent);
inline constexpr auto trip = workflow("trip", step<look>, step<advise>, step<look_again>);
