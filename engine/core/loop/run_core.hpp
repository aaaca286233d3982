// The loop's data of one run. Less than 400 bytes and a few small blocks: an idle run is data, not a coroutine.
#pragma once
#include "engine/context.hpp"
#include "engine/core/data/counted.hpp"
#include "engine/core/data/linked.hpp"
#include "engine/core/data/published.hpp"
#include "engine/core/loop/cells.hpp"
#include <atomic>
#include <coroutine>

namespace weft::core {
class LoopCore;
class Scope;
class Attempt;
class Mailbox;  // access to the loop from other threads (engine/core/loop/mailbox.hpp)
class RunCore;
struct RunExtras;  // members that few runs need (engine/core/loop/run_extras.hpp)

/// Waits on the run's loop for a change of the run. It may be destroyed while it waits.
struct Waiter : Linked<Waiter> {
    void (*wake)(Waiter&);  // already removed from its list
};

/// The pending commands of a run.
struct CommandQueue : Commands, Recycled {
    std::uint32_t done = 0;  // number of executed commands
};

class RunCore final : public RunInterface, public Recycled {
public:
    enum class Activity : std::uint8_t { busy, idle, being_read, queued };
    RunCore(LoopCore&, Mailbox&, std::shared_ptr<const Definition>, std::uint64_t number);
    RunCore(const RunCore&) = delete;
    ~RunCore();

    void publish(Published*) override;  // after all earlier events
    void tell(PublishedBox);            // to its readers and observers, now
    void tell_question(Handle cell, QuestionId);
    void tell_questions();          // of the last tick
    void tell_if_unhandled();       // the last arrived event
    bool streams() const;           // it and all its ancestors are running
    void sign(Published&) const;    // marks it as an event of this run
    PublishedBox next_published();  // the oldest; after the end, the terminal one once; else null
    std::string id() const override;
    void take_name(std::string id);  // call it before the run is shared
    std::string key(unsigned token, std::uint64_t& number) override;
    bool replaying() const override;
    std::optional<std::chrono::steady_clock::time_point> deadline() const override;
    const std::string& values() const override;
    void arrive(Emitted, QuestionId = QuestionId::none);  // an event from outside, already in its cell
    void cancel();
    void time_out();
    // Ends the run from outside of its steps; `extras` already has the details (engine/impl/terminal.cpp).
    void end_by(RunStatus);
    bool idle() const {  // callable from any thread
        const auto now = activity.load(std::memory_order_acquire);
        return now == Activity::idle || now == Activity::being_read;
    }
    void tell_progress();  // if RunOptions ask for it and the numbers have changed enough
    void rest();           // its work is done: it becomes idle if it waits only for the outside
    void stir();           // ends idleness before a change; waits for a thread that reads the run
    RunExtras& more();     // makes them on first use
    void hold() { owners.add(); }
    void drop() {
        if (owners.remove()) delete this;
    }

    std::atomic<LoopCore*> loop;  // null once the run is complete
    Mailbox* mailbox;             // a counted reference
    std::shared_ptr<const Definition> definition;
    State state;
    Cells cells;
    CommandQueue* commands = nullptr;  // lent by the loop while the run has work
    RunCore* next_ready = nullptr;     // the loop's list of runs with work
    Attempt* attempts = nullptr;       // waiting attempts
    Published* last_out = nullptr;     // ring of unread events; its next is the oldest
    Waiter* readers = nullptr;
    RunCore **back = nullptr, *next = nullptr;  // the loop's list of unfinished runs
    RunExtras* extras = nullptr;
    std::uint64_t number;       // the run's, within its engine
    std::uint32_t waiting = 0;  // number of waiting attempts
    std::uint32_t asked = 0;    // number of its state's questions that were published or held back
    OwnerCount owners;
    std::atomic<Activity> activity{Activity::busy};
    bool ended = false;     // its terminal event is readable, and its stream is closed
    bool complete = false;  // all its code has ended
    bool woken = false;
    bool named = false;             // it has an id of its own
    std::atomic<bool> told{false};  // a reader got the terminal event

private:
    void put_out(Published*);     // to the stream of a root run
    Published* take_published();  // the oldest, or null
    bool at_rest() const;
};

static_assert(sizeof(RunCore) < 400);

/// Moves an event of this type from outside into a cell of the run.
template <class E> Emitted put_event(RunCore& run, TypeIndex type, void* event) {
    return run.cells.put(type, std::move(*static_cast<E*>(event)));
}

using CoreRef = CountedRef<RunCore>;

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
    Buffer<Emitted>& emitted;  // shared by the loop; empty at the start of every call
    Cells::Cell* input;        // null for a collector
    Handle token;
    StepIndex step;
    std::uint8_t fan_out = 0;
};
/// A call of a step that may wait: it outlives the turn, so it is on the heap.
class WaitingCall : public StepCall {
public:
    WaitingCall(RunCore& core, StepIndex index, Handle handle, Buffer<Emitted>& events, Scope* within)
        : StepCall(core, index, handle, events), scope(within) {}
    ~WaitingCall() {
        if (coroutine) coroutine.destroy();
        if (kept_) drop_(kept_);
    }
    void keep(void* object, void (*drop)(void*)) { kept_ = object, drop_ = drop; }  // for the coroutine
    Scope* scope;
    std::coroutine_handle<> coroutine;

private:
    void* kept_ = nullptr;
    void (*drop_)(void*) = nullptr;
};
}
