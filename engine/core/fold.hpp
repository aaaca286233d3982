// The state after stored ticks, under the plan that made them. The fold reads no payloads: it identifies each event by
// its place in the ticks.
#pragma once
#include "engine/core/carry.hpp"
#include "engine/core/record.hpp"
#include "engine/core/run_log.hpp"
#include "engine/core/stored_plan.hpp"
#include <optional>

namespace weft::journal {
struct JournalEntry;
struct TickRecord;
struct SnapshotRecord;
}
namespace weft::core {
/// The place of an event: its tick, and its index there.
struct Origin {
    std::uint64_t seq = 0;
    std::uint32_t index = 0;
    TypeIndex type = no_type;  // index in the fold's current plan
};
inline constexpr std::uint64_t in_snapshot = ~std::uint64_t{0};  // marks an event of the initial snapshot
class Fold {
public:
    explicit Fold(NamedPlan plan) : plan_(std::move(plan)), state_(plan_.plan) {}
    /// Starts from a snapshot's state (engine/core/snapshot.hpp) with this many events. Throws Error{journal}.
    Fold(NamedPlan plan, State state, Handle events, std::shared_ptr<const journal::SnapshotRecord> snapshot);
    /// Adds a record of this run; children's ticks belong to their own folds. Throws Error{journal} that names an
    /// invalid tick.
    void add(const journal::JournalEntry&);
    /// Carries the state to the declaration under which the run continues, or its end is read. Throws Error{journal}
    /// that lists missing or different names of live items.
    void carry_to(NamedPlan plan, const Renames&);

    struct FoldedFailure {
        std::string step, error, code;
        unsigned attempts = 1;
        std::vector<std::string> active_steps;
        std::string undo_error;
    };
    struct RepeatableCall {         // the events of a repeatable step, and its input
        std::string step;           // its last name
        StepIndex index = no_step;  // index in the fold's current plan; no_step: the step is gone
        std::vector<Handle> inputs;
        bool is_list = false;  // the input was a list
    };
    const NamedPlan& plan() const { return plan_; }
    const State& state() const { return state_; }              // cells are numbers of events: origin(cell)
    Handle events() const { return Handle(origins_.size()); }  // their number so far
    const Origin& origin(Handle event) const { return origins_[event]; }
    const RepeatableCall* repeat(std::uint64_t seq) const;
    const std::vector<Renames>& renames() const { return renames_; }             // in chronological order
    const journal::SnapshotRecord* snapshot() const { return snapshot_.get(); }  // null: began with the first tick

    std::map<Handle, Handle> asked;                    // the event of each question, by its token
    std::map<Handle, StoredDelay> delays;              // by token: waits for the next attempt
    std::vector<Track::InvocationCounts> invocations;  // by token
    std::map<Handle, std::vector<StepNote>> notes;     // by token: records of the running attempt
    std::map<Handle, Effects> effects;                 // by token: at_most_once() of the open invocation
    std::optional<std::int64_t> deadline;              // microseconds since 1970
    double timeout = 0;                                // seconds
    std::uint8_t prolongations = 0;                    // of the undoing
    std::string values;                                // RunOptions::values
    FoldedFailure failure;                             // of a failed, timed-out or undoing run
    std::uint64_t first = 0;                           // number of the first tick before the snapshot
    std::uint64_t last_edit = 0;                       // the last tick that changed a slot

private:
    [[noreturn]] void refuse(std::uint64_t seq, const std::string& why) const;
    /// Returns a required member of the record. Throws Error{journal} if it is missing.
    template <class T> const T& need(std::uint64_t seq, const std::optional<T>&) const;
    const std::string& need(std::uint64_t seq, const std::string&) const;
    Tick read(std::uint64_t seq, const journal::TickRecord&, std::vector<Emitted>& events);
    void note_failure(std::uint64_t seq, const journal::TickRecord&);
    void add_tick(std::uint64_t seq, const journal::TickRecord&);
    bool add_work(const journal::JournalEntry&);
    void keep_repeat(std::uint64_t seq, Handle token);
    void carry_live(const NamedPlan& plan, const Renames&);
    void rename(const NamedPlan& to, const Renames&);
    NamedPlan plan_;
    std::vector<Renames> renames_;
    State state_;
    std::vector<Origin> origins_;
    std::map<std::uint64_t, RepeatableCall> repeats_;
    std::shared_ptr<const journal::SnapshotRecord> snapshot_;
    Commands commands_;
};
}
