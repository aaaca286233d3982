// What the loop keeps of one run. Less than 400 bytes and a few small blocks: an idle run is data, not a coroutine.
#pragma once
#include "engine/context.hpp"
#include "engine/core/data/counted.hpp"
#include "engine/core/data/published.hpp"
#include "engine/core/loop/cells.hpp"
#include <atomic>
#include <coroutine>
#include <exception>

namespace weft::core {
class Loop;
class Scope;
class Attempt;
class Mailbox;  // how other threads reach the loop (engine/core/loop/mailbox.hpp)
class RunCore;
struct RunExtras;  // what few runs need (engine/core/loop/run_extras.hpp)

/// Waits for something to happen to a run, on its loop. It may be destroyed while it waits.
struct Waiter {
    void (*wake)(Waiter&);  // it is in no list then
    Waiter *next = nullptr, **back = nullptr;
    void link(Waiter*& list) {
        next = list;
        if (next) next->back = &next;
        back = &list;
        list = this;
    }
    void unlink() {
        if (!back) return;
        *back = next;
        if (next) next->back = back;
        back = nullptr;
    }
};

/// What a run has to do, and its place among those that have something to do.
struct CommandQueue : Commands, Recycled {
    std::uint32_t done = 0;  // of the commands
    RunCore* next_ready = nullptr;
};

class RunCore final : public RunInterface, public Recycled {
public:
    enum class Activity : std::uint8_t { busy, idle, being_read, queued };
    RunCore(Loop&, Mailbox&, std::shared_ptr<const Definition>, std::uint64_t number);
    RunCore(const RunCore&) = delete;
    ~RunCore();

    void publish(Published*) override;  // when all that was emitted before has been told
    void tell(PublishedBox);            // its readers and observers, now
    bool streams() const;               // it goes on, and so do those whose child it is
    void sign(Published&) const;        // as an event of this run
    PublishedBox next_published();      // the oldest; the terminal one, once, when the run has ended; else null
    std::string id() const override;
    void take_name(std::string id);  // before anybody knows the run
    std::string key(unsigned token, std::uint64_t& number) override;
    bool replaying() const override;
    std::optional<std::chrono::steady_clock::time_point> deadline() const override;
    const std::string& values() const override;
    void arrive(Emitted, QuestionId = QuestionId::none);  // an event from outside, already in its cell
    void cancel();
    void time_out();
    // from outside of its steps; what is told of it (engine/impl/terminal.cpp) is in `extras` by then
    void end_by(RunStatus);
    bool idle() const {  // from any thread
        const auto now = activity.load(std::memory_order_acquire);
        return now == Activity::idle || now == Activity::being_read;
    }
    void tell_progress();  // if it is to be told, and is news
    void rest();           // its work is done for now: it is idle if all that it waits for is outside
    void stir();           // it is going to change: idle no more. Waits for a thread that is reading it
    RunExtras& more();     // made when first needed
    void hold() { owners.add(); }
    void drop() {
        if (owners.remove()) delete this;
    }

    std::atomic<Loop*> loop;  // null when the run is complete
    Mailbox* mailbox;         // counted
    std::shared_ptr<const Definition> definition;
    State state;
    Cells cells;
    CommandQueue* commands = nullptr;  // lent by the loop while there is work
    Attempt* attempts = nullptr;       // those that wait
    Published* last_out = nullptr;     // a ring of what has not been read; its next is the first
    Waiter* readers = nullptr;
    RunCore **back = nullptr, *next = nullptr;  // the loop's list of unfinished runs
    RunExtras* extras = nullptr;
    std::uint64_t number;       // of the run, within its engine
    std::uint32_t waiting = 0;  // attempts in the list
    std::uint32_t asked = 0;    // how many of the questions in its state were told, or are held back
    Owners owners;
    std::atomic<Activity> activity{Activity::busy};
    bool ended = false;     // its terminal event may be read: nothing reaches the stream any more
    bool complete = false;  // nothing of it is going on any more
    bool woken = false;
    bool named = false;             // has an id of its own
    std::atomic<bool> told{false};  // a reader has been given the terminal event

private:
    void put_out(Published*);     // on the stream of a run that has no parent
    Published* take_published();  // the oldest, or null
    bool at_rest() const;
};

static_assert(sizeof(RunCore) < 400);

/// Moves an event of this type, which comes from outside, into a cell of the run.
template <class E> Emitted put_event(RunCore& run, TypeIndex type, void* event) {
    return run.cells.put(type, std::move(*static_cast<E*>(event)));
}

/// Shares a run core.
class CoreRef {
public:
    explicit CoreRef(RunCore* core) : core_(core) { core_->hold(); }
    CoreRef(const CoreRef& o) : core_(o.core_) {
        if (core_) core_->hold();
    }
    CoreRef(CoreRef&& o) noexcept : core_(std::exchange(o.core_, nullptr)) {}
    CoreRef& operator=(CoreRef o) noexcept {
        std::swap(core_, o.core_);
        return *this;
    }
    ~CoreRef() {
        if (core_) core_->drop();
    }
    RunCore* operator->() const { return core_; }
    RunCore& operator*() const { return *core_; }

private:
    RunCore* core_;
};

/// One invocation of a step, on the stack of the loop.
class StepCall {
public:
    StepCall(RunCore& core, StepIndex index, Handle handle, Buffer<Emitted>& events)
        : run(core),
          context(PrivateAccess::context<Context>(core, core.state.tokens[handle].attempts + 1u, handle)),
          emitted(events),
          token(handle),
          step(index) {
        const Handle cell = run.state.tokens[token].cell;
        input = cell == none ? nullptr : &run.cells[cell];
    }
    template <class E> void emit(TypeIndex type, E&& event) {
        emitted.push_back(run.cells.put(type, std::forward<E>(event)));
    }
    template <class R> R& resource(std::size_t i) const {
        return *static_cast<R*>(run.definition->resources[run.definition->steps[step].first_resource + i]);
    }

    RunCore& run;
    Context context;
    Buffer<Emitted>& emitted;  // the loop's; empty at the start of every call
    Cells::Cell* input;        // null for a collector
    Handle token;
    StepIndex step;
    std::uint8_t fan_out = 0;
};
/// The same for a step that may wait: it outlives the turn, so the loop keeps it on the heap.
class WaitingCall : public StepCall {
public:
    WaitingCall(RunCore& core, StepIndex index, Handle handle, Buffer<Emitted>& events, Scope* within)
        : StepCall(core, index, handle, events), scope(within) {}
    ~WaitingCall() {
        if (coroutine) coroutine.destroy();
        if (kept_) drop_(kept_);
    }
    void keep(void* object, void (*drop)(void*)) { kept_ = object, drop_ = drop; }  // what the coroutine refers to
    Scope* scope;
    std::coroutine_handle<> coroutine;

private:
    void* kept_ = nullptr;
    void (*drop_)(void*) = nullptr;
};
}
