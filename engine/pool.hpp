// Threads for work that blocks: files, SQLite, long calculations. A loop never does such work.
//
//     auto work = [query](std::stop_token stop) { return read_rows(query, stop); };   // named first
//     auto rows = co_await pool.run(std::move(work));
// The coroutine gets the result or exception of the work on its own loop. Cancellation requests a stop and still waits
// for the end of the work, so nothing continues in the background: long work must check its token. If a waiting
// coroutine is destroyed, for example with its loop, the destruction blocks until the work has ended. A pool's
// destructor requests a stop of all its work; work that has not begun ends with operation_aborted.
#pragma once
#include "engine/asio.hpp"
#include "engine/core/wait/scope.hpp"
#include "engine/error.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

namespace weft {
namespace core {
class PoolWait;

/// A piece of work. The pool and the awaiting frame share it; either may be destroyed first.
class PoolJob {
public:
    explicit PoolJob(std::stop_token of_pool) : of_pool_(std::move(of_pool)) {}
    PoolJob(const PoolJob&) = delete;
    virtual ~PoolJob() = default;
    static void run(const std::shared_ptr<PoolJob>&);   // runs the job on a thread of the pool
    static void drop(const std::shared_ptr<PoolJob>&);  // drops a job that has not run

protected:
    virtual void work(std::stop_token) = 0;  // keeps the result
    virtual void forget_work() = 0;          // destroys its captures before the await ends
    virtual void forget_result() = 0;

private:
    friend class PoolWait;
    enum State : std::uint8_t { queued, running, done };
    void finish(const std::shared_ptr<PoolJob>& self, std::exception_ptr);  // call under the lock
    std::mutex mutex_;
    std::condition_variable ended_;
    State state_ = queued;
    PoolWait* frame_ = nullptr;      // frame to resume; null once the frame is destroyed
    const std::stop_token of_pool_;  // requested by the end of the pool
    std::stop_source stop_;
    std::exception_ptr error_;
};
template <class Work, class T> class PoolJobOf final : public PoolJob {
public:
    PoolJobOf(std::stop_token of_pool, Work work) : PoolJob(std::move(of_pool)), work_(std::move(work)) {}
    T take() {
        if constexpr (!std::is_void_v<T>) return std::move(*result_);
    }

private:
    void work(std::stop_token stop) override {
        if constexpr (std::is_void_v<T>) (*work_)(std::move(stop));
        else result_.emplace((*work_)(std::move(stop)));
    }
    void forget_work() override { work_.reset(); }
    void forget_result() override { result_.reset(); }
    std::optional<Work> work_;
    std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> result_;
};

/// The wait for a job, in the frame of the awaiting coroutine.
class PoolWait : public ScopedWait {
public:
    PoolWait(Scope* scope, asio::thread_pool& threads, std::shared_ptr<PoolJob> job)
        : ScopedWait(scope), threads_(threads), job_(std::move(job)) {}
    ~PoolWait();
    void await_suspend(std::coroutine_handle<>);
    void cancel_wait() override;
    void await_resume();

private:
    friend class PoolJob;
    void resume();
    asio::thread_pool& threads_;
    std::shared_ptr<PoolJob> job_;
    std::optional<asio::executor_work_guard<asio::any_io_executor>> guard_;
};
struct pool_work {
    pool_work(asio::thread_pool& t, std::shared_ptr<PoolJob> j) : threads(t), job(std::move(j)) {}
    asio::thread_pool& threads;
    std::shared_ptr<PoolJob> job;
};
inline auto bridge(Scope* scope, pool_work w) { return PoolWait(scope, w.threads, std::move(w.job)); }
}

/// Threads for blocking work.
class Pool {
public:
    /// Throws Error{usage} for 0 threads. The pool has fewer threads if the system does not start all of them; throws
    /// Error{configuration} if it starts none.
    explicit Pool(std::size_t threads = 2);
    Pool(const Pool&) = delete;
    /// Requests a stop of the work that has begun and waits for its end; drops the work that has not begun.
    ~Pool();
    /// The work is a callable that takes a std::stop_token and returns a movable value or nothing.
    template <class Work> awaitable<std::invoke_result_t<Work&, std::stop_token>> run(Work work) {
        auto job = std::make_shared<core::PoolJobOf<Work, std::invoke_result_t<Work&, std::stop_token>>>(
            ending_.get_token(), std::move(work));
        co_await core::pool_work(threads_, job);
        co_return job->take();
    }

private:
    std::stop_source ending_;
    asio::thread_pool threads_{0};      // would wait for ever if the system refused the second of its own threads
    std::vector<std::thread> workers_;  // work for threads_
};
}
