// The waiting frame, the pool's queue and the working thread share a job, and each may be destroyed first. The
// destruction of the frame waits for the end of the work, because the work may refer to the frame.
#include "engine/pool.hpp"
#include "engine/core/wait/start_thread.hpp"
#include <boost/asio/post.hpp>

namespace weft::core {
namespace {
class Task {  // an element of the pool's queue
public:
    explicit Task(std::shared_ptr<PoolJob> job) : job_(std::move(job)) {}
    Task(Task&&) = default;
    ~Task() {
        if (job_) PoolJob::drop(job_);
    }
    void operator()() { PoolJob::run(std::exchange(job_, nullptr)); }

private:
    std::shared_ptr<PoolJob> job_;
};
}

void PoolJob::run(const std::shared_ptr<PoolJob>& job) {
    {
        std::lock_guard lock(job->mutex_);
        if (job->state_ == done) return;  // dropped before it began
        job->state_ = running;
    }
    std::exception_ptr error;
    try {
        const std::stop_callback with_the_pool(job->of_pool_, [&] { job->stop_.request_stop(); });
        if (job->stop_.stop_requested()) error = aborted();
        else job->work(job->stop_.get_token());
    } catch (...) { error = std::current_exception(); }
    job->forget_work();
    std::lock_guard lock(job->mutex_);
    job->finish(job, std::move(error));
}
void PoolJob::drop(const std::shared_ptr<PoolJob>& job) {
    std::lock_guard lock(job->mutex_);
    if (job->state_ != queued) return;
    job->forget_work();
    job->finish(job, aborted());
}
// Under the lock, frame_ is not null exactly while the frame exists; the frame's context then exists too.
void PoolJob::finish(const std::shared_ptr<PoolJob>& self, std::exception_ptr error) {
    state_ = done;
    error_ = std::move(error);
    ended_.notify_all();
    if (!frame_) return;
    asio::post(frame_->scope_->executor(), [job = self] {
        PoolWait* frame = nullptr;
        {
            std::lock_guard lock(job->mutex_);
            frame = std::exchange(job->frame_, nullptr);
        }
        if (frame) frame->resume();
    });
}

void PoolWait::await_suspend(std::coroutine_handle<> h) {
    if (!allowed_) return scope_->abandoned();
    waiting_ = h;
    guard_.emplace(scope_->executor());
    scope_->begins(*this);
    job_->frame_ = this;
    auto& threads = threads_;
    Task task(job_);
    asio::post(threads, std::move(task));  // may destroy this object
}
void PoolWait::cancel_wait() {
    const auto job = job_;
    job->stop_.request_stop();
    PoolJob::drop(job);  // drops it if it has not begun
}
void PoolWait::resume() {
    scope_->ended();
    guard_.reset();
    std::exchange(waiting_, {}).resume();
}
void PoolWait::await_resume() {
    if (!job_->error_) return;
    scope_->mark_cancellation_delivered();
    std::rethrow_exception(job_->error_);
}
PoolWait::~PoolWait() {
    if (!waiting_) return;
    job_->stop_.request_stop();
    std::unique_lock lock(job_->mutex_);
    job_->frame_ = nullptr;
    if (job_->state_ == PoolJob::queued) {
        job_->forget_work();
        job_->state_ = PoolJob::done;
    }
    job_->ended_.wait(lock, [&] { return job_->state_ == PoolJob::done; });
    job_->forget_result();
    lock.unlock();
    scope_->forget();
}
}
namespace weft {
Pool::Pool(std::size_t threads) {
    if (threads == 0) throw Error(Code::usage, "a pool needs at least one thread");
    workers_.reserve(threads);
    while (workers_.size() < threads) try {
            workers_.push_back(core::start_thread("a pool", [this] { threads_.attach(); }));
        } catch (const Error&) {
            if (workers_.empty()) throw;
            return;
        }
}
Pool::~Pool() {
    ending_.request_stop();
    threads_.stop();
    for (auto& worker : workers_) worker.join();
}
}
