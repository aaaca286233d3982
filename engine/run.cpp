#include "engine/run.hpp"
#include "engine/asio.hpp"
#include "engine/loop.hpp"
#include "engine/run_extras.hpp"
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/io_context.hpp>

namespace weft {
Code code_of(const std::exception_ptr& error) noexcept {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) { return e.code(); } catch (...) {
        return Code::step_failed;
    }
}
std::string sentence_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) { return e.what(); } catch (...) {
        return "an exception that is not derived from std::exception";
    }
}
std::exception_ptr detail::journal_error(const std::exception_ptr& error) {
    return std::make_exception_ptr(Error(Code::journal, "the journal did not store a tick: " + sentence_of(error)));
}

namespace detail {
namespace {
class RunWait : protected Pending {  // suspends until something has happened to the run, on the run's loop
public:
    RunWait(Scope* scope, CoreRef run) : scope_(scope), run_(std::move(run)) {}
    RunWait(RunWait&& o) noexcept : scope_(o.scope_), run_(std::move(o.run_)) {}  // before it is awaited

protected:
    ~RunWait() {
        if (!waiting_) return;
        waiter_.unlink();
        scope_->forget();
    }
    void begin(std::coroutine_handle<> h) {
        waiting_ = true;
        waiter_.handle = h;
        waiter_.link(run_->readers);
        scope_->begins(*this);
    }
    bool end() {  // whether it was cancelled
        waiting_ = false;
        scope_->ended();
        if (scope_->cancelled()) scope_->tell();
        return scope_->cancelled();
    }
    Scope* scope_;
    CoreRef run_;

private:
    Waiter waiter_{};
    bool waiting_ = false;
};
class Change final : RunWait {
public:
    using RunWait::RunWait;
    bool await_ready() {
        allowed_ = scope_->may_wait();
        return false;
    }
    void await_suspend(std::coroutine_handle<> h) {
        if (!allowed_) return scope_->abandoned();
        begin(h);
    }
    void cancel_wait() override {
        if (Loop* loop = run_->loop) loop->wake(*run_);
    }
    void await_resume() {
        if (end()) throw boost::system::system_error(asio::error::operation_aborted);
    }

private:
    bool allowed_ = true;
};
struct change_of {
    explicit change_of(CoreRef r) : run(std::move(r)) {}
    CoreRef run;
};
auto bridge(Scope* scope, change_of c) { return Change(scope, std::move(c.run)); }

/// The runtime of the run's loop, if that is another one; null here, and when nothing is going on any more.
const Runtime* elsewhere(const RunCore& run, const asio::any_io_executor& here) {
    const Loop* loop = run.loop;  // read once: the run may complete on its own thread meanwhile
    return loop && loop->executor() != here ? &loop->runtime() : nullptr;
}

awaitable<void> complete_here(CoreRef core) {
    while (!core->complete) co_await change_of(core);
}
awaitable<Published*> published_here(CoreRef core) {
    while (!core->last_out && !core->ended) co_await change_of(core);
    if (auto* p = core->take_published()) co_return p;
    if (core->told.exchange(true)) co_return nullptr;
    co_return last_event(*core);
}
}
namespace {
class Checkpoint {  // a wait that takes no time, but heeds cancellation
public:
    explicit Checkpoint(Scope* scope) : scope_(scope) {}
    bool await_ready() { return scope_->may_wait(); }
    void await_suspend(std::coroutine_handle<>) { scope_->abandoned(); }
    void await_resume() {}

private:
    Scope* scope_;
};
struct checkpoint {};
auto bridge(Scope* scope, checkpoint) { return Checkpoint(scope); }
}
awaitable<const Runtime*> runtime_here() {
    co_await checkpoint();
    co_return co_await this_runtime();
}
awaitable<void> until_complete(CoreRef core) {
    auto& executor = co_await this_executor();
    auto work = complete_here(core);
    if (auto* home = elsewhere(*core, executor)) co_await spawn(*home, std::move(work), asio::deferred);
    else co_await std::move(work);
}
awaitable<Published*> next_published(CoreRef core) {
    auto& executor = co_await this_executor();
    auto work = published_here(core);
    if (auto* home = elsewhere(*core, executor)) co_return co_await spawn(*home, std::move(work), asio::deferred);
    co_return co_await std::move(work);
}

// --- children ---
namespace {
class ChildChange final : RunWait {  // cancelling cancels the child, whose end is still waited for
public:
    using RunWait::RunWait;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) {
        begin(h);
        if (scope_->cancelled()) run_->cancel();
    }
    void cancel_wait() override { run_->cancel(); }
    bool await_resume() { return end(); }
};
struct child_change_of {
    explicit child_change_of(CoreRef r) : run(std::move(r)) {}
    CoreRef run;
};
auto bridge(Scope* scope, child_change_of c) { return ChildChange(scope, std::move(c.run)); }
}
awaitable<void> until_child_complete(CoreRef core) {
    bool cancelled = false;
    while (!core->complete) cancelled = co_await child_change_of(core);
    if (cancelled) throw boost::system::system_error(asio::error::operation_aborted);
}
CoreRef open_child(Common* common, std::shared_ptr<const Definition> definition, const Runtime& runtime,
                   std::shared_ptr<Loop>& own_loop, const RunOptions& options) {
    auto* parent = static_cast<RunCore*>(common);
    if (!parent) own_loop = std::make_shared<Loop>(runtime);  // a step that is tested alone
    Loop& loop = parent ? *parent->loop.load() : *own_loop;
    CoreRef child = loop.make(std::move(definition), options);
    loop.adopt(*child);
    if (parent) {
        parent->hold();
        child->more().parent = parent;
    }
    return child;
}
RunCore* asker(RunCore& run, QuestionId& question) {
    RunCore* asker = &run;
    while (asker && question != QuestionId::none && std::uint64_t(question) >> 63) {
        auto* f = asker->extras ? asker->extras->find_foreign(question) : nullptr;
        asker = f ? f->run : nullptr;
        if (f) question = f->question;
    }
    return asker;
}

// --- what a run says of itself ---
bool is_here(const RunCore& run) {
    const Loop* loop = run.loop;
    return !loop || (loop->here() && run.back);  // one that has not begun yet gets what comes in order
}
void post(RunCore& run, std::function<void()> work) {
    if (Loop* loop = run.loop) loop->post(std::move(work));
}
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
std::string diagnose(const RunCore& run) {
    if (run.state.cause != Cause::none) return run.complete ? "the run has ended" : "the run is ending";
    if (run.state.live) return "the run has not ended: it is still at work";
    const Definition& d = *run.definition;
    std::string open;
    for (Handle h = run.state.first_question; h != none; h = run.state.tokens[h].next) {
        if (open.size() > 500) {
            open += ", ...";
            break;
        }
        const TypeIndex type = run.state.tokens[h].step;
        if (!open.empty()) open += ", ";
        (open += "an answer to ") += d.events[type].name;
        for (std::size_t e = 0; e < d.events.size(); ++e) {
            const auto& plan = d.plan.events[e];
            const bool answers = plan.answers == type || (plan.answers == any_question && !d.plan.events[type].paired);
            if (!answers) continue;
            (open += " (") += d.events[e].name;
            for (std::uint16_t i = 0; i < plan.count; ++i)
                (open += ", for step ") += d.steps[d.plan.consumers[plan.first + i]].name;
            open += ')';
        }
    }
    if (!open.empty()) return "the run is idle: it waits for " + open;
    return "the run is idle: no step has anything to do, and no question is open; a branch has ended without emitting";
}
void throw_no_result(const RunCore& run) {
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

// --- run(...): a loop for one run ---
struct Alone::Parts {
    asio::io_context io{1};
    Loop loop{io.get_executor()};
    CoreRef core;
    Parts(std::shared_ptr<const Definition> d, const RunOptions& o) : core(loop.make(std::move(d), o)) {
        loop.adopt(*core);
    }
};
Alone::Alone(std::shared_ptr<const Definition> d, const RunOptions& o) {
    if (loop_of_this_thread())
        throw Error(Code::usage, "run() was called inside of a step, which it would block: use ctx.run() there");
    parts_.reset(new Parts(std::move(d), o));
}
Alone::~Alone() = default;
CoreRef Alone::core() { return parts_->core; }
void Alone::drive() { parts_->io.run(); }
}
}
