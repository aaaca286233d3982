// What a durable run has beside its state: where its ticks go, and which of its commands wait for which tick.
#pragma once
#include "engine/core/data/buffer.hpp"
#include "engine/core/data/published.hpp"
#include "engine/core/machine/reducer.hpp"
#include "engine/core/machine/state.hpp"
#include "engine/core/wait/timers.hpp"
#include "engine/durable/machine.hpp"
#include "engine/store.hpp"
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace weft::core {
class RunCore;
class CoreRef;
struct RunIds;     // engine/core/loop/run_extras.hpp
struct FoldCheck;  // engine/core/check_fold.hpp

/// Has the run's loop do what follows from an answer of the store: at once, if that is where the answer has come.
void hear(const CoreRef&, std::function<void()> work);
/// Gives a claimed run back, to whoever claims it next.
storage::Batch given_back(std::string run, std::uint64_t epoch, std::uint64_t next_seq);

/// The ticks of a run, and of its durable children, on their way to the store. Used by the run's loop only.
class RunLog : public std::enable_shared_from_this<RunLog> {
public:
    RunLog(Store& s, RunCore& r, std::string run, std::shared_ptr<RunIds> of_engine, std::uint32_t every)
        : store(s), root(r), id(std::move(run)), ids(std::move(of_engine)), snapshot_every(every), family{&r} {}
    /// Hands it over; number and sum are the log's to give.
    std::uint64_t append(std::string body, std::vector<std::string> mail, std::optional<storage::RunRelease>,
                         std::optional<storage::StoredPlan> plan = {}, std::optional<storage::Snapshot> snapshot = {});
    /// Of the tick that is appended next, if this is its body.
    std::uint64_t sum_of_next(std::string_view body) const { return storage::chained_sum(sum_, next_, body); }
    /// Whether enough ticks have come since the last snapshot, with the one that is appended next.
    bool wants_snapshot() const { return snapshot_every && next_ - snapshot_at + 1 >= snapshot_every; }
    void note();                         // not a tick: what the run waits for, for listings
    void give_back(std::uint64_t next);  // to whoever claims it next; `next`: the number of its next tick
    void finish(storage::RunRelease);    // its ticks have ended it already
    void park();
    void send(const storage::Batch&);
    void send_all();     // that is not stored
    void drop_oldest();  // its store has settled it
    durability::BatchContent oldest() const;
    std::uint64_t next() const { return next_; }
    void continue_at(std::uint64_t next, std::uint64_t sum) {
        next_ = stored = required = next;
        sum_ = sum;
    }

    Store& store;
    RunCore& root;
    std::string id;
    const std::shared_ptr<RunIds> ids;  // of the engine
    std::uint64_t epoch = 1;
    std::uint64_t term = 1;                  // of the engine's lease, in which the run became its own
    std::unique_ptr<storage::NewRun> birth;  // as long as the store does not have the run
    std::uint64_t stored = 0;                // that many ticks are on disk
    std::uint64_t required = 0;              // that many have to be, before the consequences of the last one
    std::list<storage::Batch> unstored;      // without an answer that is good, oldest first
    durability::DurableState state;
    std::exception_ptr failure;          // the last failed call's
    std::uint64_t claimed_next = 0;      // the number that its next tick had when it was loaded
    const std::uint32_t snapshot_every;  // ticks; 0: never
    std::uint64_t snapshot_at = 0;       // the first tick that is not in the last snapshot
    std::size_t snapshot_bytes = 0;      // of the last one
    std::size_t bytes = 0;               // of the ticks since
    std::set<std::string> mail;          // ids that have reached the run
    std::vector<RunCore*> family;        // the root and its durable children, as long as they go on
    struct ResendTimer : Timer {
        RunLog* log = nullptr;
    } resend;
    std::map<std::string, std::string> plans;  // that ticks were made under, by their hashes
    std::uint64_t mail_known = 0;              // how much has ever been sent to the run, as far as it has come here
    /// Ticks of children that a step of a parent will ask for, by path.
    std::map<std::string, std::vector<storage::StoredTick>> children;
    struct ChildMail {
        std::string path;
        storage::Mail mail;
    };
    std::vector<ChildMail> mail_of_children;  // that are not in memory yet
    struct StoredCallback {  // of somebody to hear when the ticks before this number are stored, or that they are not
        std::uint64_t before = 0;
        std::function<void(const std::exception_ptr&)> tell;
    };
    std::vector<StoredCallback> wishes;
    struct HeldOutput {  // what is streamed behind a question that is not stored yet, and this question
        RunCore* run;
        PublishedBox event;  // null: a question, which is still in its cell
        Handle cell = none;
        QuestionId question = QuestionId::none;
        std::uint64_t need = 0;  // it is told when so many ticks are stored
    };
    std::deque<HeldOutput> held;  // in the order of emission
    bool is_telling = false;
    bool holds_back() const { return is_telling || !held.empty(); }
    void hold_back(RunCore&, std::size_t first_command);  // what these commands of the family's run tell
    void tell_held();                                     // as far as the ticks are stored
    void tell_rest();                                     // the last time: nothing more is stored
    void end_at_limit();                                  // a run with the maximum count of ticks fails
    void tell_stored();                                   // those whose ticks are
    void tell_all(const std::exception_ptr&);             // that nothing more is

private:
    storage::Batch batch() const;  // of the run's next tick, with nothing in it
    std::uint64_t next_ = 0, sum_ = 0;
};

/// That a stored run may have. Recovery and whoever shows it would take ever longer.
inline constexpr std::uint64_t most_ticks = 100'000;

/// Of a token that waits for its next attempt.
struct StoredDelay {
    std::int64_t due = 0, first = 0;  // microseconds since 1970
    std::int64_t wait = 0;            // that was meant, whatever the date is now
    bool operator==(const StoredDelay&) const = default;
};
/// What a snapshot of a root says that the run itself has not kept, or has given away.
struct SnapshotExtras {
    struct SnapshotQuestion {
        std::uint32_t serial = 0;
        std::string event;  // JSON, as in a tick
    };
    std::map<Handle, SnapshotQuestion> questions;  // that are open, by their tokens
    std::map<Handle, std::string> inputs;  // by cell: of attempts that are at work, which may have moved them away
    std::map<Handle, StoredDelay> delays;  // by token
    // Cells that have held an event which a repeatable step makes again. Some of them may be free by now.
    std::set<Handle> remade;
    std::set<Handle> recorded;  // tokens whose present attempt has records, or children, among the stored ticks
    std::optional<std::int64_t> deadline;  // microseconds since 1970
    double timeout = 0;                    // seconds
    std::string values;                    // RunOptions::values
};
/// What a step has recorded by ctx.once, of one attempt.
struct StepNote {
    std::string name, value;
    unsigned depth = 0;  // within how much other recorded work
    std::string failed;  // empty: it has ended. Else the code of what was thrown, with its sentence as the value
};
/// Whether the token is at something else from then on.
inline bool ends_invocation(const Tick& tick) { return tick.kind != Tick::due && !tick.retry; }
/// What an invocation does at most once, by name: the outcome as JSON, once there is one.
using Effects = std::map<std::string, std::optional<std::string>>;
struct Track {
    struct CommandMark {
        std::uint64_t end = 0;   // the commands up to this number
        std::uint64_t need = 0;  // wait until so many ticks are stored
    };
    struct InvocationCounts {                   // of a token
        std::uint64_t born = 0;                 // the tick that invoked it with this event
        std::uint32_t children = 0, notes = 0;  // that the present attempt has asked for
    };
    InvocationCounts& invocation(Handle token) {
        if (token >= invocations.size()) invocations.resize(token + 1);
        return invocations[token];
    }
    /// Whether the next command has to wait.
    bool waits() {
        while (first_mark < marks.size() && marks[first_mark].end <= done) ++first_mark;
        if (first_mark == marks.size()) {
            marks.clear();
            first_mark = 0;
            return false;
        }
        return !durability::is_over(log->state) && marks[first_mark].need > log->stored;
    }

    std::shared_ptr<RunLog> log;
    std::string path;  // of a child: which invocation of its parent began it; empty: the root
    Buffer<CommandMark> marks;
    std::uint32_t first_mark = 0;
    std::uint64_t pushed = 0, done = 0;  // commands, since the run is in memory
    bool parked = false;                 // its next command waits
    std::uint32_t waiters = 0;           // coroutines that wait until something is stored
    std::vector<InvocationCounts> invocations;
    std::map<Handle, std::vector<StepNote>> notes;  // read from the store, for attempts that begin again
    /// Records of failures, by token. They are stored with the next record of the attempt: if none comes, the attempt
    /// has failed by the last of them, and one that begins again tries anew.
    std::map<Handle, std::vector<std::string>> failures;
    std::map<Handle, Effects> effects;  // by token: they outlive an attempt that fails
    SnapshotExtras kept;
    struct PreparedTick {  // the line of the tick that is about to be taken
        Tick::Kind kind = Tick::ended;
        Handle token = none;
        std::optional<std::string> line;
    } prepared;
    struct DeferredArrival {  // what has come while the store was asked whether, or how far, the run is there
        Emitted event;
        QuestionId question = QuestionId::none;
        RunStatus status = RunStatus::running;  // how it is to end; none: the event has arrived
    };
    std::vector<DeferredArrival> late;
    struct RecordExtras {  // what the next record says beyond its tick
        std::exception_ptr error;
        std::optional<std::int64_t> due, first;
        std::string mail;
    } extra;
    std::map<std::string, std::string> renames;  // of what the run was stored under
    bool replays = false;                        // nothing is stored: a step is called to see what it makes
    bool begun = false;                          // its first tick is in the log
    std::shared_ptr<FoldCheck> check;            // in builds that check
};
}
