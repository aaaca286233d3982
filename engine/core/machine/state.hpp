// The state of a run: a value that can be copied and compared; only the reducer changes it.
#pragma once
#include "engine/core/data/buffer.hpp"
#include "engine/core/graph/plan.hpp"
#include "engine/terminal.hpp"
#include <memory>
#include <vector>

namespace weft::core {
struct Place {
    Handle group = none;
    std::uint32_t index = 0;
    bool operator==(const Place&) const = default;
};

/// The phase of a token: waits for a worker, runs, waits for its next attempt, is an open question, or is kept for a
/// collector or a join.
enum class TokenPhase : std::uint16_t { queued, running, delayed, question, kept };

/// An event on its way through a step, or an open question.
struct Token {
    Handle cell = none;   // collector, join: none, items has a list; question: the previous one
    Handle items = none;  // question: its serial number
    Handle next = none;
    Place place;
    StepIndex step : 12 = 0;  // question: its event type. Packed, because each event copies tokens
    TokenPhase phase : 3 = TokenPhase::queued;
    bool dropped : 1 = false;     // its branch was cancelled: its result is dropped
    std::uint8_t attempts = 0;    // number of failed attempts
    std::uint8_t recoveries = 0;  // rescues that led here
    bool operator==(const Token&) const = default;
};
/// The branches of one fan-out. It settles when none of its members is open, or when a collector has its quorum; then
/// its collectors run once.
struct Group {
    Place place;                       // place where the collectors continue
    std::uint32_t open = 1;            // events on their way, open questions, inner groups
    Handle first = none, last = none;  // kept tokens, in order of arrival
    Handle partials = none;            // first partial of the joins and quorums
    bool sorted = true;
    bool enough = false;          // a quorum is complete
    std::uint8_t recoveries = 0;  // rescues that led to the fan-out
    std::uint64_t collectors = 0;
    bool operator==(const Group&) const = default;
};
/// In one group, or in the run itself: the events that wait for other parts of a join; or a quorum's count of branches.
struct Partial {
    StepIndex step = 0;
    std::uint16_t part = 0;
    std::uint32_t count = 0;
    Handle first = none, last = none;
    Handle next = none;  // next of the same group
    bool operator==(const Partial&) const = default;
};
struct Lane {                          // one per step, then one per question type
    std::uint32_t free = 0;            // free workers
    Handle first = none, last = none;  // waiting tokens, first in, first out; open questions, oldest first
    bool operator==(const Lane&) const = default;
};
/// Records with stable small numbers. Freed numbers are reused, last in, first out, so they are reproducible.
template <class T, std::uint32_t inside = 0> class Records {
public:
    Handle make(const T& value) {
        if (free_ == none) {
            items_.push_back(value);
            return Handle(items_.size() - 1);
        }
        Handle h = free_;
        free_ = link(items_[h]);
        items_[h] = value;
        return h;
    }
    void drop(Handle h) {
        link(items_[h]) = free_;
        free_ = h;
    }
    T& operator[](Handle h) { return items_[h]; }
    const T& operator[](Handle h) const { return items_[h]; }
    std::uint32_t size() const { return items_.size(); }
    const void* memory() const { return items_.begin(); }
    /// Handles of the records in use, in ascending order.
    std::vector<Handle> used() const {
        const auto is_used = in_use();
        std::vector<Handle> all;
        for (Handle h = 0; h < is_used.size(); ++h)
            if (is_used[h]) all.push_back(h);
        return all;
    }
    /// By handle: whether the record is in use.
    std::vector<bool> in_use() const {
        std::vector<bool> used(items_.size(), true);
        for (Handle h : free()) used[h] = false;
        return used;
    }
    /// Free handles, in the order of their reuse.
    std::vector<Handle> free() const {
        std::vector<Handle> all;
        for (Handle h = free_; h != none; h = link(const_cast<T&>(items_[h]))) all.push_back(h);
        return all;
    }
    /// Restores the used records, in the order of their handles, and the free handles, each at most once.
    void fill(const std::vector<T>& used, const std::vector<Handle>& free) {
        std::vector<bool> is_free(used.size() + free.size());
        for (Handle h : free) is_free[h] = true;
        items_.clear();
        free_ = none;
        for (std::size_t h = 0, next = 0; h < is_free.size(); ++h) items_.push_back(is_free[h] ? T() : used[next++]);
        for (auto i = free.size(); i-- > 0;) drop(free[i]);
    }
    bool operator==(const Records&) const = default;

private:
    static Handle& link(T& item) {
        if constexpr (requires { item.next; }) return item.next;
        else return item.first;
    }
    Buffer<T, inside> items_;
    Handle free_ = none;
};
/// State that only workflows with joins or quorums need. Made on demand.
struct Meeting {
    struct Member {  // a node in a group's list of open members
        Handle before = none, after = none;
        bool operator==(const Member&) const = default;
    };
    Records<Partial> partials;
    Handle first_partial = none;            // outside of all groups
    std::vector<Member> tokens, groups;     // by handle
    std::vector<Handle> tokens_of, within;  // first token and first inner group, by the group's handle
    bool operator==(const Meeting&) const = default;
};
/// The element of this handle, in a vector that grows on demand.
template <class T> T& grown(std::vector<T>& all, Handle h, const T& value = T()) {
    if (h >= all.size()) all.resize(h + 1, value);
    return all[h];
}
/// An optional value on the heap.
template <class T> class Boxed {
public:
    Boxed() = default;
    Boxed(const Boxed& o) : value_(o.value_ ? std::make_unique<T>(*o.value_) : nullptr) {}
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(Boxed o) noexcept {
        value_ = std::move(o.value_);
        return *this;
    }
    T& make() {
        if (!value_) value_ = std::make_unique<T>();
        return *value_;
    }
    explicit operator bool() const { return bool(value_); }
    T* operator->() const { return value_.get(); }
    T& operator*() const { return *value_; }
    bool operator==(const Boxed& o) const { return value_ && o.value_ ? *value_ == *o.value_ : value_ == o.value_; }

private:
    std::unique_ptr<T> value_;
};
/// The branches of all fan-outs of a run, for progress reports. The counts are neither stored nor compared: a resumed
/// run counts again from 0.
struct Branches {
    std::uint64_t begun = 0;
    std::uint32_t open = 0;  // the sum of Group::open, so at least the number of open branches
    std::uint64_t settled() const { return begun > open ? begun - open : 0; }
    bool operator==(const Branches&) const { return true; }
};
/// The way of a run with an undo step to its end: all other work is cancelled; then the undo step, and the steps after
/// it, work. Reducer::begin_ending() begins it, and Reducer::go_on_ending() has the transitions.
enum class EndingPhase : std::uint8_t { not_begun, abandoning, undoing };
struct State {
    Records<Token, 2> tokens;
    Buffer<Lane, 4> lanes;
    Records<Group> groups;
    Boxed<Meeting> meeting;
    std::uint32_t live = 0;   // active tokens: 0 means the run is idle
    std::uint32_t asked = 0;  // number of questions so far
    Branches branches;
    Handle result = none;  // the stop event's cell
    RunStatus status = RunStatus::running;
    RunStatus ends_as = RunStatus::running;  // in an ending: the status at its end
    StepIndex culprit = 0;                   // the failed step
    EndingPhase ending = EndingPhase::not_begun;
    explicit State(const Plan& plan) : lanes(plan.steps.size() + plan.questions) {
        for (std::size_t s = 0; s < plan.steps.size(); ++s) lanes[s].free = plan.steps[s].workers;
    }
    bool operator==(const State&) const = default;
};
}
