// Timeouts and sleeps for awaitables, by the clock of their loop.
//
//     co_await sleep_for(2s);                     // in a durable run: begins anew after a crash, unlike ctx.sleep()
//     auto work = connect(host);                              // an awaitable, named first: see docs/architecture.md
//     auto socket = co_await with_timeout(5s, std::move(work));   // throws Error{timed_out} after five seconds
//     auto& executor = co_await this_executor();              // for the coroutine's I/O objects
//     auto now = (co_await this_clock()).now();
//
// A timeout cancels the awaited work and waits for its end, so nothing continues in the background.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/wait/alarmed_wait.hpp"
#include "engine/core/wait/guarded_wait.hpp"
#include "engine/core/wait/scope.hpp"
#include "engine/error.hpp"
#include <memory>

namespace weft {
struct this_executor {};
struct this_clock {};
struct this_runtime {};  // awaits to a pointer to the Runtime of the coroutine: its executor and its clock
struct may_begin {};     // awaits to true if the run's lease is sure, so that effects outside are allowed
// g++ 12 warns about a forgotten co_await only if the constructor has the attribute, too.
struct [[nodiscard]] sleep_for {
    [[nodiscard]] explicit sleep_for(Duration d) : duration(d) {}
    template <class Number>
    requires(std::is_arithmetic_v<Number>) explicit sleep_for(Number) {
        static_assert(!std::is_arithmetic_v<Number>, "sleep_for takes a time with its unit, such as 5s or 20ms");
    }
    Duration duration;  // from the await on
};
template <class T> struct [[nodiscard]] with_timeout {
    [[nodiscard]] with_timeout(Duration d, awaitable<T> w) : duration(d), work(std::move(w)) {}
    Duration duration;  // from the await on
    awaitable<T> work;
};

namespace core {
class Sleep final : public AlarmedWait {
public:
    Sleep(Scope* scope, Duration d) : AlarmedWait(scope), duration_(d) {}
    void await_suspend(std::coroutine_handle<> h) {
        if (begin(h)) alarm_->set(scope_->clock().after(duration_));
    }

private:
    Duration duration_;
};
class TimeoutScope : public GuardScope {
public:
    using Limit = Duration;
    TimeoutScope(Scope* parent, Duration d) : GuardScope(parent), limit_(d) {}
    bool has_a_time_limit() const override { return true; }

protected:
    void begin() {}
    void finish(const std::exception_ptr&);
    Duration limit_;

private:
    bool is_cancelled_alone() const override { return rang_; }
    void set_limit() override;
    bool rang_ = false;
    std::unique_ptr<Alarm> alarm_;
};
bool is_aborted(const std::exception_ptr&);  // true for a cancellation

inline auto bridge(Scope* scope, this_executor) {
    return ReadyAwaiter<const asio::any_io_executor&>{scope->executor()};
}
inline auto bridge(Scope* scope, this_runtime) { return ReadyAwaiter<const Runtime*>{&scope->runtime()}; }
inline auto bridge(Scope* scope, this_clock) { return ReadyAwaiter<Clock&>{scope->clock()}; }
inline auto bridge(Scope* scope, may_begin) { return ReadyAwaiter<bool>{scope->may_begin()}; }
inline auto bridge(Scope* scope, sleep_for s) { return Sleep(scope, s.duration); }
template <class T> auto bridge(Scope* scope, with_timeout<T>&& w) {
    return GuardedWait<T, TimeoutScope>(scope, w.duration, w.work);
}
}
/// Waits while the lease of a stored run is in doubt; throws like a cancelled wait if the run has left memory. A step
/// that repeats requests, as a retry does, awaits this before each repetition.
awaitable<void> until_may_begin();
}
