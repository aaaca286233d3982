// Turns the stream of a run of react or reflect into entries (steps/view/entry.hpp), with the time of each.
//
//     Trace trace(question);
//     while (auto event = co_await run.next_event())
//         for (const auto& entry : trace.on(*event)) std::cout << neutralise(entry.text) << '\n';
//     save_page("trace.html", html_page(trace.entries(), {.question = question}));
// One trace belongs to one run and is used where the stream is read. An event of another workflow is an entry with its
// name and its data, of which 4 KiB are kept. A trace keeps all entries: their number is bounded by an agent's limits;
// for another workflow, only by the number of its events.
#pragma once
#include "engine/clock.hpp"
#include "steps/view/event_entries.hpp"
#include <map>
#include <span>

namespace weft::view {
class Trace {
public:
    /// The run begins now. The clock outlives the trace.
    explicit Trace(const std::string& question, const Clock& clock = real_clock());
    /// The entries that the event has added. Valid until the next call.
    std::span<const TraceEntry> on(const AnyEvent&);
    const TraceEntries& entries() const { return entries_; }

private:
    void count_turn(const AnyEvent&);
    void close_account(const AnyEvent&, TraceEntries& said);
    const Clock& clock_;
    const Clock::Time begun_;
    TraceEntries entries_;
    std::map<int, int> turns_;  // of each sub-question
};
}
