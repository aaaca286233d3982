// What a run tells its owner when it has ended: its last event, the exception.
#include "engine/core/handle.hpp"
#include "engine/core/diagnosis.hpp"
#include "engine/core/door.hpp"
#include "engine/core/loop.hpp"
#include "engine/core/run_extras.hpp"

namespace weft::core {
bool is_here(const RunCore& run) {
    const Loop* loop = run.loop.load(std::memory_order_acquire);
    if (!loop) return true;
    // One that has not begun yet gets what comes in order.
    // That is looked at last: it belongs to the loop's thread.
    return (run.door->one_thread() || loop == loop_of_this_thread() || run.door->here()) && run.back;
}
void post(RunCore& run, std::function<void()> work) { run.door->post(std::move(work)); }
void after_start(RunCore& run, std::function<void()> work) { run.extras->start.push_back(std::move(work)); }
void guarded(RunCore& run, const std::function<void()>& work) {
    try {
        work();
    } catch (...) {
        if (Loop* loop = run.loop) loop->fail_run(run, std::current_exception());
    }
}
void report_unhandled(RunCore& run, std::string_view event) {
    run.publish(new Published::Of<UnhandledEvent>({.event = std::string(event)}));
}
Published* last_event(const RunCore& run) {
    const auto box = []<class E>(E e) -> Published* { return new Published::Of<E>(std::move(e)); };
    switch (run.state.cause) {
    case Cause::failed: {
        const auto culprit = run.state.culprit;
        return box(RunFailedEvent{.step = culprit == no_step ? "" : std::string(run.definition->steps[culprit].name),
                                  .error = sentence_of(run.extras->error),
                                  .code = code_of(run.extras->error),
                                  .attempts = run.extras->attempts,
                                  .cause = run.extras->error});
    }
    case Cause::timed_out:
        return box(RunTimedOutEvent{.timeout = std::chrono::duration<double>(run.extras->timeout).count(),
                                    .active_steps = run.extras->active_steps});
    case Cause::stopped: {
        const auto& cell = const_cast<Cells&>(run.cells)[run.state.result];
        return run.definition->events[cell.type].box(&cell + 1);
    }
    default: return box(RunCancelledEvent{});
    }
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
[[noreturn]] static void throw_no_result(RunCore& run) {
    if (!is_here(run)) throw RunError(Code::idle, diagnose(run));
    switch (run.state.cause) {
    case Cause::failed: {
        const auto culprit = run.state.culprit;
        const auto who = culprit == no_step ? "the run" : "step " + std::string(run.definition->steps[culprit].name);
        throw RunError(code_of(run.extras->error), who + " failed: " + sentence_of(run.extras->error),
                       run.extras->error);
    }
    case Cause::timed_out:
        throw RunError(Code::timed_out, "the run has not ended within " + in_seconds(run.extras->timeout));
    case Cause::cancelled: throw RunError(Code::cancelled, "the run was cancelled");
    default: throw RunError(Code::idle, diagnose(run));
    }
}
Cells::Cell& stop_cell(RunCore& run) {
    if (run.loop.load(std::memory_order_acquire) || run.state.cause != Cause::stopped) throw_no_result(run);
    return run.cells[run.state.result];
}
}
