// Several awaitables at once, within one step.
//
//     auto asking = ask_weather(city);                     // an awaitable<Weather>
//     auto looking = look_at_traffic(city);                // an awaitable<Traffic>
//     auto [weather, traffic] = co_await all(std::move(asking), std::move(looking));
//
// The awaitables begin in this order and then run concurrently on the thread of the step's loop. The await completes
// when all of them have ended. It returns a tuple of the results, with std::monostate for void. If an awaitable throws,
// the awaitables that have not begun never begin and the others are cancelled; when they have ended, the await rethrows
// the first exception. A cancelled run cancels all of them. The order of a step's records identifies them in a durable
// run. So inside all(), ctx.once, ctx.at_most_once and a durable ctx.run throw Error{usage}: record the whole by
// ctx.once("both", work), where `work` awaits all(). For many parts of the same kind, limits and retries, use a fan-out
// (docs/tutorial/04_fan_out_and_collect.md).
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/wait/scope.hpp"
#include <array>
#include <memory>
#include <span>
#include <tuple>
#include <variant>

namespace weft {
/// The awaitables of all(), which begin when it is awaited. Await it once, in the expression that made it, or moved.
template <class... T> struct [[nodiscard]] all_of {
    [[nodiscard]] explicit all_of(awaitable<T>... w) : works(std::move(w)...) {}
    std::tuple<awaitable<T>...> works;  // none of them has begun
};
template <class... T> all_of<T...> all(awaitable<T>... works) {
    (core::PrivateAccess::demand_unawaited(works), ...);
    return all_of<T...>(std::move(works)...);
}

namespace core {
class AllParts;
class RunCore;
/// The scope of one awaitable inside all().
class AllPart : public Scope {
public:
    AllPart(AllParts& group, PromiseBase& promise, std::coroutine_handle<> work);
    void abandoned() override;
    void orphaned() override;
    bool may_begin() const override;
    bool is_one_of_several() const override { return true; }
    Scope* outer() const override;

protected:
    ~AllPart() = default;

private:
    friend class AllParts;
    AllParts& group_;
    PromiseBase& promise_;
    std::coroutine_handle<> work_;
    bool open_ = false, was_abandoned_ = false;
};
/// Begins the parts, waits until all have ended, and cancels the rest when a part has failed.
class AllParts : PendingWait {
public:
    explicit AllParts(Scope* parent) : parent_(parent) {}
    Scope& parent() const { return *parent_; }
    void part_ended(AllPart&);
    void cancel_wait() override;

protected:
    ~AllParts();
    bool begin(std::span<AllPart* const>);  // true: all have ended
    void wait(std::coroutine_handle<>);
    void throw_if_failed();
    bool allowed_ = true;
    Scope* parent_;

private:
    void start(AllPart&);
    void post(void (*)(AllParts&));
    void go_on();
    std::span<AllPart* const> parts_;
    std::size_t open_ = 0;
    AllPart* failed_ = nullptr;  // the first part that failed
    std::coroutine_handle<> waiting_;
    RunCore* run_ = nullptr;           // counts each open part as a separate wait
    std::shared_ptr<AllParts*> self_;  // for posted calls
};
template <class T> class AllPartOf final : public AllPart {
public:
    struct GroupWork {
        AllParts& group;
        typename awaitable<T>::Handle work;
    };
    explicit AllPartOf(GroupWork m) : AllPart(m.group, m.work.promise(), m.work), work_(m.work) {}
    ~AllPartOf() { work_.destroy(); }
    auto take() {
        if constexpr (std::is_void_v<T>) return std::monostate();
        else return work_.promise().take();
    }

private:
    typename awaitable<T>::Handle work_;
};
template <class... T> class AllWait final : public AllParts {
public:
    AllWait(Scope* parent, all_of<T...>&& all) : AllWait(parent, all.works, std::index_sequence_for<T...>()) {}
    bool await_ready() {
        allowed_ = parent_->may_wait();
        return allowed_ && begin(each_);
    }
    void await_suspend(std::coroutine_handle<> h) {
        if (!allowed_) return parent_->abandoned();
        wait(h);
    }
    auto await_resume() {
        throw_if_failed();
        // The type is explicit: deduction would unpack a single result that is itself a tuple.
        return std::apply([](auto&... part) { return std::tuple<decltype(part.take())...>(part.take()...); }, parts_);
    }

private:
    template <std::size_t... I> AllWait(Scope* parent, std::tuple<awaitable<T>...>& works, std::index_sequence<I...>)
        : AllParts(parent),
          parts_(typename AllPartOf<T>::GroupWork{*this, PrivateAccess::release(std::get<I>(works))}...),
          each_{&std::get<I>(parts_)...} {}
    std::tuple<AllPartOf<T>...> parts_;
    std::array<AllPart*, sizeof...(T)> each_;
};
template <class... T> AllWait<T...> bridge(Scope* scope, all_of<T...>&& all) {
    return AllWait<T...>(scope, std::move(all));
}
}
}
