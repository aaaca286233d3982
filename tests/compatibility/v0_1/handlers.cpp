// Failure handlers: what fails is replaced, each kind of step in its own way.
#include "engine/run.hpp"
#include <iostream>
using namespace weft;

struct TripEvent : StartEvent {
    std::string to;
};
struct FlightEvent {
    std::string to;
};
struct HotelEvent {};
struct TaxiEvent {};
struct BookedEvent {
    std::string text;
};
struct ItineraryEvent : StopEvent {
    std::string text;
};
using Wish = std::variant<FlightEvent, HotelEvent, TaxiEvent>;

std::vector<Wish> plan(Context&, TripEvent trip) { return {FlightEvent{trip.to}, HotelEvent{}, TaxiEvent{}}; }
// [steps]
BookedEvent book_flight(Context&, FlightEvent) { throw std::runtime_error("there is a storm"); }
BookedEvent book_hotel(Context&, HotelEvent) { throw Error(Code::timed_out, "nobody answers"); }
BookedEvent book_taxi(Context&, TaxiEvent) { throw std::runtime_error("all are taken"); }
// [/steps]
ItineraryEvent list(Context&, std::vector<BookedEvent> all) {
    std::string text;
    for (auto& booked : all) text += (text.empty() ? "" : "; ") + booked.text;
    return {.text = text};
}
// [handlers]
BookedEvent take_train(Context&, FailedEvent<FlightEvent> failed) {
    return {"train to " + failed.event.to + ", because " + failed.error};
}
BookedEvent take_tent(Context&, StepFailedEvent failed) { return {"tent, because of " + failed.code}; }
BookedEvent do_without(Context&, StepFailedEvent failed) {
    return {"no " + failed.input + " after " + std::to_string(failed.attempts) + " attempts of " + failed.step};
}
inline constexpr auto travel = workflow("travel", step<plan>, step<book_flight>, step<book_hotel>,
                                        step<book_taxi>.retry({.attempts = 3, .wait = fixed({})}), step<list>,
                                        step<take_train>, step<take_tent>.of<book_hotel>(), step<do_without>);
// [/handlers]
// [strict]
inline constexpr auto strict = workflow("strict", step<plan>, step<book_flight>, step<book_hotel>, step<book_taxi>,
                                        step<list>, step<take_train>, step<take_tent>.of<book_hotel>());
// [/strict]

int main() {
    // [run]
    std::cout << run(travel, {.to = "Rome"}).text << '\n';
    try {
        run(strict, {.to = "Rome"});
    } catch (const RunError& error) { std::cout << error.what() << '\n'; }
    // [/run]
}
// prints:
// train to Rome, because there is a storm; tent, because of timed_out; no TaxiEvent after 3 attempts of book_taxi
// step book_taxi failed: all are taken
