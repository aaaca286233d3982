// Calls from any thread go to the run's loop; the results of an ended run need no loop.
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/loop/diagnosis.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/wait/answer_taker.hpp"
#include "engine/ending.hpp"
#include <utility>

namespace weft::core {
bool is_here(const RunCore& run) {
    const LoopCore* loop = run.loop.load(std::memory_order_acquire);
    if (!loop) return true;
    // A run that has not begun gets its events in order, through the mailbox. `back` is checked last, because it
    // belongs to the loop's thread.
    return (run.mailbox->one_thread() || loop == loop_of_this_thread() || run.mailbox->here()) && run.back;
}
static thread_local const LoopCore* asking = nullptr;
StoreCallScope::StoreCallScope(LoopCore* loop)
    : before_(std::exchange(asking, loop)),
      taker_before_(AnswerTaker::exchange_for_this_thread(loop ? loop->keeper().answer_taker() : nullptr)) {}
StoreCallScope::~StoreCallScope() {
    asking = before_;
    AnswerTaker::exchange_for_this_thread(taker_before_);
}
static bool hears_at_once(const RunCore& run) {
    const LoopCore* loop = run.loop.load(std::memory_order_acquire);
    if (!loop) return true;
    const bool in_turn = loop == loop_of_this_thread() || loop == asking;
    return (in_turn || (!run.mailbox->one_thread() && run.mailbox->here())) && run.back;
}
void hear(const CoreRef& run, std::function<void()> work) {
    if (!AnswerTaker::is_taking() && hears_at_once(*run)) work();
    else run->mailbox->post(std::move(work));
}
void post(RunCore& run, std::function<void()> work) { run.mailbox->post(std::move(work)); }
void after_start(RunCore& run, std::function<void()> work) { run.extras->start.push_back(std::move(work)); }
void guarded(RunCore& run, const std::function<void()>& work) {
    try {
        work();
    } catch (...) {
        if (LoopCore* loop = run.loop) loop->fail_run(run, std::current_exception());
    }
}
void report_unhandled(RunCore& run, std::string_view event) {
    run.publish(new Published::Of<UnhandledEvent>({.event = std::string(event)}));
}
Published* last_event(const RunCore& run) {
    if (const auto* ending = ending_of(run.state.status)) return ending->last(run);
    const auto& cell = const_cast<Cells&>(run.cells)[run.state.result];
    return run.definition->events[cell.type].box(&cell + 1);
}
const Slots& slots_at_end(const RunCore& run) {
    if (run.loop.load(std::memory_order_acquire))
        throw Error(Code::usage, "the slots of a run were read before its end: co_await its result() first");
    return run.slots;
}
void cancel(const CoreRef& core) {
    if (is_here(*core)) core->cancel();
    else post(*core, [core] { core->cancel(); });
}
void leave(const CoreRef& core) {
    const auto go = [core] {
        LoopCore* loop = core->loop;
        if (loop && core->extras && core->extras->track && core->state.status == RunStatus::running)
            loop->keeper().leave(*core);
        else core->cancel();
    };
    if (is_here(*core)) go();
    else post(*core, go);
}
[[noreturn]] static void throw_no_result(RunCore& run) {
    const auto* ending = is_here(run) ? ending_of(run.state.status) : nullptr;
    if (ending) {
        const PublishedBox last(ending->last(run));
        throw ending->error(last->type->event(last.get()));
    }
    throw RunError(Code::idle, diagnose(run));
}
Cells::Cell& stop_cell(RunCore& run) {
    if (run.loop.load(std::memory_order_acquire) || run.state.status != RunStatus::done) throw_no_result(run);
    return run.cells[run.state.result];
}
}
