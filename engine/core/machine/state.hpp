// The state of a run: a value that copies and compares, changed by the reducer only.
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

/// What a token is: it waits for a worker, runs, waits for its next attempt, is an open question, is kept for a
/// collector or a join.
enum class Phase : std::uint16_t { queued, running, delayed, question, kept };

/// An event on its way through a step, or a question that is open.
struct Token {
    Handle cell = none;   // a collector's or a join's token has a list of tokens instead; a question: the one before it
    Handle items = none;  // of a question: its serial number
    Handle next = none;
    Place place;
    StepIndex step : 12 = 0;  // of a question: its event type. Packed, as tokens are copied for each event
    Phase phase : 3 = Phase::queued;
    bool dropped : 1 = false;     // its branch was cancelled: whatever comes of it, nobody waits for it
    std::uint8_t attempts = 0;    // that failed
    std::uint8_t recoveries = 0;  // of the events that led here
    bool operator==(const Token&) const = default;
};
/// The branches of one fan-out. It settles when nothing in it is open any more, or when a collector has the first n
/// that it goes on with; then its collectors run, once.
struct Group {
    Place place;                       // where its collectors go on
    std::uint32_t open = 1;            // events on their way, questions asked, groups within
    Handle first = none, last = none;  // tokens kept, in order of arrival
    Handle partials = none;            // of its joins, and of its collectors of the first n
    bool sorted = true;
    bool enough = false;          // a collector has its first n
    std::uint8_t recoveries = 0;  // of the events that led to the fan-out
    std::uint64_t collectors = 0;
    bool operator==(const Group&) const = default;
};
/// Within one group, or the run: the events that wait for the other parts of a join; or how many branches a collector
/// of the first n has.
struct Partial {
    StepIndex step = 0;
    std::uint16_t part = 0;
    std::uint32_t count = 0;
    Handle first = none, last = none;
    Handle next = none;  // of the same group
    bool operator==(const Partial&) const = default;
};
struct Lane {                          // one per step, and then one per type of question
    std::uint32_t free = 0;            // workers
    Handle first = none, last = none;  // waiting, first in first out; questions that are open, oldest first
    bool operator==(const Lane&) const = default;
};
/// Records with stable small numbers. Freed ones are reused, last out first in, so that numbers are reproducible.
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
    /// By handle: false for those that are free.
    std::vector<bool> in_use() const {
        std::vector<bool> used(items_.size(), true);
        for (Handle h : free()) used[h] = false;
        return used;
    }
    /// Those that are free, in the order in which they are going to be used again.
    std::vector<Handle> free() const {
        std::vector<Handle> all;
        for (Handle h = free_; h != none; h = link(const_cast<T&>(items_[h]))) all.push_back(h);
        return all;
    }
    /// The records that are in use, in the order of their handles, and which handles are free: each at most once.
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
/// What only workflows with joins, or with collectors of the first n, need. Made when it is needed.
struct Meeting {
    struct Member {  // of a group: a list of what is open in it
        Handle before = none, after = none;
        bool operator==(const Member&) const = default;
    };
    Records<Partial> partials;
    Handle first_partial = none;            // outside of any group
    std::vector<Member> tokens, groups;     // by their handles
    std::vector<Handle> tokens_of, within;  // by a group's handle: the first of its tokens, and of the groups in it
    bool operator==(const Meeting&) const = default;
};
/// A value on the heap, or none.
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
/// The branches of all fan-outs of a run, for whoever asks how far it is. The counts are no part of what is stored or
/// compared: a run that is resumed counts anew.
struct Branches {
    std::uint64_t begun = 0;
    std::uint32_t open = 0;  // the sum of Group::open, so never less than the branches that go on
    std::uint64_t settled() const { return begun > open ? begun - open : 0; }
    bool operator==(const Branches&) const { return true; }
};
struct State {
    Records<Token, 2> tokens;
    Buffer<Lane, 4> lanes;
    Records<Group> groups;
    Boxed<Meeting> meeting;
    std::uint32_t live = 0;   // tokens on their way: without any, the run is idle
    std::uint32_t asked = 0;  // questions so far
    Branches branches;
    Handle result = none;  // the stop event's cell
    RunStatus status = RunStatus::running;
    StepIndex culprit = 0;  // the step that failed
    explicit State(const Plan& plan) : lanes(plan.steps.size() + plan.questions) {
        for (std::size_t s = 0; s < plan.steps.size(); ++s) lanes[s].free = plan.steps[s].workers;
    }
    bool operator==(const State&) const = default;
};
}
