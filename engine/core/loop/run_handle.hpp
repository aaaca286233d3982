// What a handle does with its run, from any thread, and what it tells when the run has ended.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <functional>

namespace weft::core {
Published* last_event(const RunCore&);  // of a run that ended without a stop event
void cancel(const CoreRef&);            // from any thread
void leave(const CoreRef&);             // from any thread
Cells::Cell& stop_cell(RunCore&);       // with the stop event; throws RunError if there is none
void report_unhandled(RunCore&, std::string_view event);
void post(RunCore&, std::function<void()>);
void after_start(RunCore&, std::function<void()>);     // of a run that waits for its turn: on its loop
void guarded(RunCore&, const std::function<void()>&);  // what it throws fails the run
bool is_here(const RunCore&);
/// While a loop asks a store on its own thread.
class Asking {
public:
    explicit Asking(const Loop*);
    ~Asking();
    Asking(const Asking&) = delete;

private:
    const Loop* before_;
};
/// Whether an answer of a store may be taken now, in the thread that it comes on. A loop that was given no context
/// knows its thread only within a turn, and while it asks.
bool hears_at_once(const RunCore&);
/// The slots of a run that has ended. Throws Error{usage} before its end.
const Slots& slots_at_end(const RunCore&);
}
