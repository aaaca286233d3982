// A step that waits for two results in parallel.
#include "engine/all.hpp"
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

struct TripEvent : StartEvent {
    std::string to;
};
struct AdviceEvent : StopEvent {
    std::string text;
};

awaitable<std::string> weather(std::string city) {
    co_await sleep_for(20ms);  // a program sends a request here
    co_return "rain in " + city;
}
awaitable<int> delay(std::string city) {
    co_await sleep_for(10ms);
    co_return int(city.size());
}
// [all]
awaitable<AdviceEvent> advise(Context&, TripEvent trip) {
    auto asking = weather(trip.to);
    auto looking = delay(trip.to);
    const auto [sky, minutes] = co_await all(std::move(asking), std::move(looking));
    co_return AdviceEvent{.text = sky + ", " + std::to_string(minutes) + " minutes late"};
}
// [/all]
inline constexpr auto trip = workflow("trip", step<advise>);

int main() { std::cout << run(trip, {.to = "Ulm"}).text << '\n'; }
// prints:
// rain in Ulm, 3 minutes late
