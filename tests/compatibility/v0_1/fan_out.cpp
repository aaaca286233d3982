// Fan-out and collect: searches run side by side, the report waits for all of them.
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

// [events]
struct TopicEvent : StartEvent {
    std::vector<std::string> places;
};
struct SearchEvent {
    std::string place;
};
struct HitEvent {
    std::string text;
};
struct ReportEvent : StopEvent {
    std::string text;
};
// [/events]

// [steps]
std::vector<SearchEvent> plan(Context&, TopicEvent topic) {
    std::vector<SearchEvent> searches;
    for (auto& place : topic.places) searches.push_back({place});
    return searches;
}
awaitable<std::optional<HitEvent>> search(Context&, SearchEvent search) {
    co_await sleep_for(search.place == "archive" ? 3ms : 1ms);  // the archive is slow
    if (search.place == "attic") co_return std::nullopt;        // nothing found: this branch ends
    co_return HitEvent{.text = "found in the " + search.place};
}
ReportEvent report(Context&, std::vector<HitEvent> hits) {
    std::string text = std::to_string(hits.size()) + " hits";
    for (auto& hit : hits) text += "; " + hit.text;
    return {.text = text};
}
inline constexpr auto research = workflow("research", step<plan>, step<search>.workers(8), step<report>);
// [/steps]

int main() {
    // [run]
    std::cout << run(research, {.places = {"archive", "attic", "library"}}).text << '\n';
    std::cout << run(research, {}).text << '\n';
    // [/run]
}
// prints:
// 2 hits; found in the archive; found in the library
// 0 hits
