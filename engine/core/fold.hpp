// The state that stored ticks lead to, under the plan that made them. Payloads are not read: each event is known by
// where it stands in the ticks.
#pragma once
#include "engine/core/carry.hpp"
#include "engine/core/record.hpp"
#include "engine/core/run_log.hpp"
#include "engine/core/stored_plan.hpp"
#include <optional>

namespace weft::journal {
struct Entry;
struct TickRecord;
struct SnapshotRecord;
}
namespace weft::core {
/// Where an event stands: in which tick, as which of its events.
struct Origin {
    std::uint64_t seq = 0;
    std::uint32_t index = 0;
    TypeIndex type = no_type;  // under the plan that the fold is at
};
inline constexpr std::uint64_t in_snapshot = ~std::uint64_t{0};  // an event that the fold began with
class Fold {
public:
    explicit Fold(NamedPlan plan) : plan_(std::move(plan)), state_(plan_.plan) {}
    /// As a snapshot has it (engine/core/snapshot.hpp), with this many events. Throws Error{journal}.
    Fold(NamedPlan plan, State state, Handle events, std::shared_ptr<const journal::SnapshotRecord> snapshot);
    /// Of the run itself: ticks of its children are for their own folds. Throws Error{journal} that names the tick for
    /// one that cannot be.
    void add(const journal::Entry&);
    /// To the declaration that the run goes on under, or that its end is read under. Throws Error{journal} that lists
    /// what is missing or different there for what is on its way.
    void carry_to(NamedPlan plan, const Renames&);

    struct Failure {
        std::string step, error, code;
        unsigned attempts = 1;
        std::vector<std::string> active_steps;
    };
    struct Repeat {                 // the events of a repeatable step, and its input
        std::string step;           // as it was called last
        StepIndex index = no_step;  // under the plan that the fold is at; no_step: it is gone
        std::vector<Handle> inputs;
        bool is_list = false;  // it was given a list of them
    };
    const NamedPlan& plan() const { return plan_; }
    const State& state() const { return state_; }              // a cell is the number of an event: origin(cell)
    Handle events() const { return Handle(origins_.size()); }  // so far
    const Origin& origin(Handle event) const { return origins_[event]; }
    const Repeat* repeat(std::uint64_t seq) const;
    const std::vector<Renames>& renames() const { return renames_; }  // in the order in which they were given
    const journal::SnapshotRecord* snapshot() const { return snapshot_.get(); }  // null: it began with the first tick

    std::map<Handle, Handle> asked;              // the event of each question, by its token
    std::map<Handle, StoredDelay> delays;        // by token: waits for the next attempt
    std::vector<Track::Invocation> invocations;  // by token
    std::map<Handle, std::vector<Note>> notes;   // by token: records of the attempt at work
    std::map<Handle, Effects> effects;           // by token: effects of the open invocation
    std::optional<std::int64_t> deadline;        // microseconds since 1970
    double timeout = 0;                          // seconds
    std::string values;                          // RunOptions::values
    Failure failure;                             // if the run has failed or timed out
    std::uint64_t last_edit = 0;                 // the tick that has last changed a slot

private:
    [[noreturn]] void refuse(std::uint64_t seq, const std::string& why) const;
    /// A member that the record must have. Throws Error{journal} without it.
    template <class T> const T& need(std::uint64_t seq, const std::optional<T>&) const;
    const std::string& need(std::uint64_t seq, const std::string&) const;
    Tick read(std::uint64_t seq, const journal::TickRecord&, std::vector<Emitted>& events);
    void add_tick(std::uint64_t seq, const journal::TickRecord&);
    bool add_work(const journal::Entry&);
    void keep_repeat(std::uint64_t seq, Handle token);
    void carry_live(const NamedPlan& plan, const Renames&);
    void rename(const NamedPlan& to, const Renames&);
    NamedPlan plan_;
    std::vector<Renames> renames_;
    State state_;
    std::vector<Origin> origins_;
    std::map<std::uint64_t, Repeat> repeats_;
    std::shared_ptr<const journal::SnapshotRecord> snapshot_;
    Commands commands_;
};
}
