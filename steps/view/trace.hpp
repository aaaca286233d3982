// Turns the stream of a run of react or reflect into entries (steps/view/entry.hpp) with times.
//
//     Trace trace(question);
//     while (auto event = co_await run.next_event())
//         for (const auto& entry : trace.on(*event)) std::cout << neutralise(entry.text) << '\n';
//     save_page("trace.html", html_page(trace.entries(), {.question = question}));
// A trace belongs to one run, and to the loop that reads its stream. An event of another workflow is an entry with its
// name and the first 4 KiB of its data. A trace keeps all entries: an agent's limits bound their number; for another
// workflow only the number of its events does.
#pragma once
#include "engine/clock.hpp"
#include "steps/view/event_entries.hpp"
#include <map>
#include <span>

namespace weft::view {
class Trace {
public:
    /// The run starts now. The clock must outlive the trace.
    explicit Trace(const std::string& question, const Clock& clock = real_clock());
    /// Returns the entries that the event added. Valid until the next call.
    std::span<const TraceEntry> on(const AnyEvent&);
    const TraceEntries& entries() const { return entries_; }

private:
    void count_turn(const AnyEvent&);
    void close_account(const AnyEvent&, TraceEntries& said);
    const Clock& clock_;
    const Clock::Time begun_;
    TraceEntries entries_;
    std::map<int, int> turns_;  // indexed by sub-question
};
}
