// The log of a durable run: its ticks on their way to the store, and the commands and output that wait for them.
#pragma once
#include "engine/core/data/buffer.hpp"
#include "engine/core/data/published.hpp"
#include "engine/core/machine/reducer.hpp"
#include "engine/core/machine/state.hpp"
#include "engine/core/shard.hpp"
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
struct FoldCheck;  // engine/core/check_fold.hpp

/// The batch that gives a claimed run back, so that any owner may claim it.
storage::Batch given_back(std::string run, std::uint64_t epoch, std::uint64_t next_seq);

/// The ticks of a root run and its durable children, on their way to the store. Only the run's loop uses it.
class RunLog : public std::enable_shared_from_this<RunLog> {
public:
    RunLog(std::shared_ptr<Shard> s, RunCore& r, std::string run, std::uint32_t every)
        : shard(std::move(s)), root(r), id(std::move(run)), snapshot_every(every), family{&r} {}
    Store& store() const { return *shard->store; }
    Lease& lease() const { return *shard->lease; }
    /// Sends a tick to the store. The log gives it a number, which is returned, and a sum.
    std::uint64_t append(std::string body, std::vector<std::string> mail, std::optional<storage::RunRelease>,
                         std::optional<storage::StoredPlan> plan = {}, std::optional<storage::Snapshot> snapshot = {});
    /// The sum of the next appended tick, if this is its body.
    std::uint64_t sum_of_next(std::string_view body) const { return storage::chained_sum(sum_, next_, body); }
    /// Whether enough ticks follow the last snapshot, including the next appended one.
    bool wants_snapshot() const { return snapshot_every && next_ - snapshot_at + 1 >= snapshot_every; }
    void begin_again();                             // the next tick is the first one, and replaces all earlier ticks
    std::uint64_t first() const { return first_; }  // number of the first tick
    void note();                                    // adds a batch without ticks: the run's wait, for listings
    void give_back(std::uint64_t next);  // makes the run ready for any owner; `next`: number of its next tick
    void finish(storage::RunRelease);    // stores the end of a run that its ticks have ended
    void park();
    void send(const storage::Batch&);
    void create(const storage::Batch&, const std::function<void(std::exception_ptr, storage::AppendReply)>& tell);
    /// Looks for the run in the databases of the store, and calls `then` on the loop when `shard` is right.
    void look_for(std::function<void(const std::exception_ptr&)> then);
    void send_all();     // all unstored batches
    void drop_oldest();  // the batch that the store has settled
    durability::BatchContent oldest() const;
    std::uint64_t next() const { return next_; }
    void continue_at(std::uint64_t first, std::uint64_t next, std::uint64_t sum) {
        first_ = first;
        next_ = stored = required = next;
        sum_ = sum;
    }

    std::shared_ptr<Shard> shard;  // that has the run
    RunCore& root;
    std::string id;
    std::uint64_t epoch = 1;
    std::uint64_t lease_number = 1;          // number of the lease under which the engine owns the run
    std::unique_ptr<storage::NewRun> birth;  // null once the store has the run
    bool is_looked_for = false;              // another shard may have a run with this id
    bool is_delayed = false;                 // the store has the run, and this engine waits for its time
    unsigned claims = 0;                     // number of vain claims after that time
    std::uint64_t stored = 0;                // number of stored ticks
    std::uint64_t required = 0;              // number of ticks to store before the last one's consequences
    std::list<storage::Batch> unstored;      // not confirmed by the store, oldest first
    durability::DurableState state;
    std::exception_ptr failure;          // the error that stopped the delivery
    std::uint64_t claimed_next = 0;      // number of the next tick when the run was loaded
    const std::uint32_t snapshot_every;  // in ticks; 0: never
    std::uint64_t snapshot_at = 0;       // number of the first tick after the last snapshot
    std::size_t snapshot_bytes = 0;      // size of the last snapshot
    std::size_t bytes = 0;               // size of the ticks after it
    /// Notes that the run takes this mail; false if it has taken it before.
    bool is_new_mail(const std::string& mail);
    std::vector<RunCore*> family;  // unfinished runs: the root and its durable children
    struct ResendTimer : Timer {
        RunLog* log = nullptr;
    } resend;
    std::map<std::string, std::string> plans;  // the ticks' declarations, by hash
    std::uint64_t mail_known = 0;              // number of mails that this owner knows
    /// Ticks of stored children that are not restored yet, by path.
    std::map<std::string, std::vector<storage::StoredTick>> children;
    struct ChildMail {
        std::string path;
        storage::Mail mail;
    };
    std::vector<ChildMail> mail_of_children;  // mail for children that are not in memory
    struct StoredCallback {                   // called when the ticks before this number are stored, or with an error
        std::uint64_t before = 0;
        std::function<void(const std::exception_ptr&)> tell;
    };
    std::vector<StoredCallback> callbacks;
    struct HeldOutput {  // an unstored question, or output that follows it in the stream
        RunCore* run;
        PublishedBox event;  // null: a question, whose event is in its cell
        Handle cell = none;
        QuestionId question = QuestionId::none;
        std::uint64_t need = 0;  // number of stored ticks that it waits for
    };
    std::deque<HeldOutput> held;  // in the order of emission
    bool is_telling = false;
    bool holds_back() const { return is_telling || !held.empty(); }
    void hold_back(RunCore&, std::size_t first_command);  // the output of these commands
    void tell_held();                                     // publishes the output whose ticks are stored
    void tell_rest();                                     // publishes events with stored ticks; drops the rest
    void end_at_limit();                                  // fails a run with the maximum count of ticks
    void tell_stored();                                   // calls the callbacks whose ticks are stored
    void tell_all(const std::exception_ptr&);             // calls all callbacks, with the error
    void tell_delayed();  // the store has the run; calls the callbacks if nothing else waits to be stored

private:
    storage::Batch batch() const;  // for the next tick, without content
    std::uint64_t first_ = 0, next_ = 0, sum_ = 0;
    bool begins_again_ = false;  // with the next tick
    // Ids of taken mail, for as long as the store knows them: since the run began again, and between this and the time
    // before.
    std::set<std::string> mail_, mail_before_;
};

/// The next deadline, retry or end of a sleep of the run and its children, in microseconds since 1970.
std::optional<std::int64_t> wake_time(const RunLog&);

/// Maximum count of a stored run's ticks. It bounds the time of recovery and of listings.
inline constexpr std::uint64_t most_ticks = 100'000;

/// The delay before a token's next attempt.
struct StoredDelay {
    std::int64_t due = 0, first = 0;  // microseconds since 1970
    std::int64_t wait = 0;            // the whole delay in microseconds, independent of the date
    bool operator==(const StoredDelay&) const = default;
};
/// Data for a root run's snapshot that the run itself has not kept, or has moved away.
struct SnapshotExtras {
    struct SnapshotQuestion {
        std::uint32_t serial = 0;
        std::string event;  // JSON, as in a tick
    };
    std::map<Handle, SnapshotQuestion> questions;  // open ones, by token
    std::map<Handle, std::string> inputs;          // by cell: input that a running attempt may move away
    std::map<Handle, StoredDelay> delays;          // by token
    // Cells with events of repeatable steps, which make them again after a crash. Some cells may be free already.
    std::set<Handle> remade;
    std::set<Handle> recorded;             // tokens whose present attempt has stored records or children
    std::optional<std::int64_t> deadline;  // microseconds since 1970
    double timeout = 0;                    // seconds
    std::uint8_t prolongations = 0;        // of the undoing
    std::string values;                    // RunOptions::values
};
/// A record of one attempt by ctx.once.
struct StepNote {
    std::string name, value;
    unsigned depth = 0;  // number of enclosing recorded works
    std::string failed;  // empty: the work succeeded; else the error's code, and `value` is its sentence
};
/// Whether the tick ends the token's invocation, without a further attempt.
inline bool ends_invocation(const Tick& tick) { return tick.kind != Tick::due && !tick.retry; }
/// Outcomes of an invocation's work by ctx.at_most_once, as JSON, by name; empty: begun, without a known outcome.
using Effects = std::map<std::string, std::optional<std::string>>;
struct Track {
    struct CommandMark {
        std::uint64_t end = 0;   // number of commands up to the mark
        std::uint64_t need = 0;  // number of ticks to store before them
    };
    struct InvocationCounts {                   // of one token
        std::uint64_t born = 0;                 // number of the tick that invoked the step
        std::uint32_t children = 0, notes = 0;  // requests of the present attempt
    };
    InvocationCounts& invocation(Handle token) { return grown(invocations, token); }
    /// Whether the next command must wait for the store.
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
    std::string path;  // a child's: the invocations that lead to it from the root; empty: the root
    Buffer<CommandMark> marks;
    std::uint32_t first_mark = 0;
    std::uint64_t pushed = 0, done = 0;  // counts of commands since the run came into memory
    bool parked = false;                 // the run's next command waits
    std::uint32_t waiters = 0;           // number of coroutines that wait for the store
    std::vector<InvocationCounts> invocations;
    std::map<Handle, std::vector<StepNote>> notes;  // stored records, for restarted attempts
    /// Records of failures, by token. They are stored with the attempt's next record. Without a next record the last
    /// failure has failed the attempt, and a restarted attempt repeats the work.
    std::map<Handle, std::vector<std::string>> failures;
    std::map<Handle, Effects> effects;  // by token; they outlive a failed attempt
    SnapshotExtras kept;
    struct PreparedTick {  // the written record of the tick that is taken next
        Tick::Kind kind = Tick::ended;
        Handle token = none;
        std::optional<std::string> line;
    } prepared;
    struct DeferredArrival {  // input that arrived before the run's stored state was known
        Emitted event;
        QuestionId question = QuestionId::none;
        RunStatus status = RunStatus::running;  // running: the event has arrived; else the run's end
    };
    std::vector<DeferredArrival> late;
    struct RecordExtras {  // data of the next record beyond its tick
        std::exception_ptr error;
        std::optional<std::int64_t> due, first;
        std::string mail;
    } extra;
    std::map<std::string, std::string> renames;  // from stored to present names
    bool replays = false;                        // in a replay: nothing is stored
    bool begun = false;                          // the log has the run's first tick
    std::shared_ptr<FoldCheck> check;            // only in builds that check folds
};
}
