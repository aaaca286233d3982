// A saga: the undo step takes back what the run has booked, the last booking first.
#include "engine/once.hpp"
#include "engine/run.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

struct Office {
    void book(const std::string& what) {
        if (what == "car") throw std::runtime_error("no car is left");
        std::cout << "books a " << what << '\n';
        booked.push_back(what);
    }
    awaitable<bool> cancel(std::string what) {  // false, and no error, for a booking that was never made
        const bool was_booked = std::erase(booked, what) > 0;
        if (was_booked) std::cout << "cancels the " << what << '\n';
        co_return was_booked;
    }
    std::vector<std::string> booked;
};
// [saga]
struct TripEvent : StartEvent {
    std::vector<std::string> wishes;
};
struct BookEvent {
    std::string what;
    std::vector<std::string> later;
};
struct BookedEvent {
    std::vector<std::string> later;
};
struct ReadyEvent : StopEvent {};
struct Bookings {  // a slot
    std::vector<std::string> all;
};
std::variant<BookEvent, ReadyEvent> note(Context& ctx, std::vector<std::string> wishes) {
    if (wishes.empty()) return ReadyEvent{};
    const auto what = wishes.front();
    ctx.edit<Bookings>([&](auto& bookings) { bookings.all.push_back(what); });
    wishes.erase(wishes.begin());
    return BookEvent{.what = what, .later = wishes};
}
std::variant<BookEvent, ReadyEvent> begin(Context& ctx, TripEvent trip) { return note(ctx, trip.wishes); }
std::variant<BookEvent, ReadyEvent> go_on(Context& ctx, BookedEvent booked) { return note(ctx, booked.later); }
BookedEvent book(Context&, BookEvent next, Office& office) {
    office.book(next.what);
    return {.later = next.later};
}
awaitable<void> undo(Context& ctx, RunEndingEvent ending, Office& office) {
    std::cout << "undoes, because " << ending.sentence << '\n';
    for (auto left = ctx.get<Bookings>().all; !left.empty(); left.pop_back()) {
        auto cancelling = office.cancel(left.back());
        co_await ctx.once("cancel " + left.back(), std::move(cancelling));
    }
}
inline constexpr auto saga = workflow("saga", step<begin>, step<book>, step<go_on>, step<undo>.within(30s));
// [/saga]

int main() {
    Office office;
    try {
        run(saga.with(office), {.wishes = {"hotel", "flight", "car"}});
    } catch (const RunError& error) { std::cout << error.what() << '\n'; }
}
// prints:
// books a hotel
// books a flight
// undoes, because step book failed: no car is left
// cancels the flight
// cancels the hotel
// step book failed: no car is left
