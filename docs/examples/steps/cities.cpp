// A join in a nested fan-out: the weather of one city is never joined with the traffic of another.
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

struct TourEvent : StartEvent {
    std::vector<std::string> cities;
};
struct CityEvent {
    std::string name;
};
struct AskWeatherEvent {
    std::string city;
};
struct AskTrafficEvent {
    std::string city;
};
struct WeatherEvent {
    std::string text;
};
struct TrafficEvent {
    std::string text;
};
struct AdviceEvent {
    std::string text;
};
struct CityAdviceEvent {
    std::string text;
};
struct TourAdviceEvent : StopEvent {
    std::string text;
};
std::vector<CityEvent> visit(Context&, TourEvent tour) {
    std::vector<CityEvent> all;
    for (auto& name : tour.cities) all.push_back({name});
    return all;
}
// [steps]
std::vector<std::variant<AskWeatherEvent, AskTrafficEvent>> look_around(Context&, CityEvent city) {
    return {AskWeatherEvent{city.name}, AskTrafficEvent{city.name}};
}
awaitable<WeatherEvent> weather(Context&, AskWeatherEvent ask) {
    co_await sleep_for(ask.city == "Rome" ? 3ms : 1ms);  // the weather of Rome is late
    co_return WeatherEvent{"sun in " + ask.city};
}
TrafficEvent traffic(Context&, AskTrafficEvent ask) { return {"jams in " + ask.city}; }
AdviceEvent advise(Context&, WeatherEvent weather, TrafficEvent traffic) {
    return {weather.text + ", " + traffic.text};
}
CityAdviceEvent of_city(Context&, std::vector<AdviceEvent> one) { return {one.at(0).text}; }
// [/steps]
TourAdviceEvent of_tour(Context&, std::vector<CityAdviceEvent> all) {
    std::string text;
    for (auto& city : all) text += (text.empty() ? "" : "; ") + city.text;
    return {.text = text};
}
inline constexpr auto tour = workflow("tour", step<visit>, step<look_around>, step<weather>, step<traffic>,
                                      step<advise>, step<of_city>, step<of_tour>);

int main() { std::cout << run(tour, {.cities = {"Rome", "Oslo"}}).text << '\n'; }
// prints:
// sun in Rome, jams in Rome; sun in Oslo, jams in Oslo
