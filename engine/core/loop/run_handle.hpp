// The functions of a run's handle, for any thread, and the results of an ended run.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <functional>

namespace weft::core {
class AnswerTaker;
Published* last_event(const RunCore&);  // for a run that ended without a stop event
void cancel(const CoreRef&);            // callable from any thread
void leave(const CoreRef&);             // callable from any thread
Cells::Cell& stop_cell(RunCore&);       // the stop event's cell; throws RunError if the run has none
void report_unhandled(RunCore&, std::string_view event);
void post(RunCore&, std::function<void()>);
void after_start(RunCore&, std::function<void()>);     // for a queued run: runs on its loop once it begins
void guarded(RunCore&, const std::function<void()>&);  // an exception fails the run
bool is_here(const RunCore&);
/// Exists while a loop calls a store on the loop's own thread, which may then take the answer.
class StoreCallScope {
public:
    explicit StoreCallScope(LoopCore*);
    ~StoreCallScope();
    StoreCallScope(const StoreCallScope&) = delete;

private:
    const LoopCore* before_;
    AnswerTaker* const taker_before_;
};
/// Executes work after an answer of the store: at once if the calling thread may touch the run, else by the mailbox of
/// the run's loop. A loop without a context knows its thread only within a turn and during a call of the store.
void hear(const CoreRef&, std::function<void()> work);
/// The slots of an ended run. Throws Error{usage} before its end.
const Slots& slots_at_end(const RunCore&);
}
