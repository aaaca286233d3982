// Waits for a run's next event or its end. On the run's loop the wait is an entry in a list. On other threads a request
// goes through the mailbox, and the answer is posted back to the reader's executor.
#include "engine/core/loop/reading.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_wait.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace weft::core {
namespace {
class ChangeWait final : public RunWait {
public:
    using RunWait::RunWait;
    bool await_ready() {
        allowed_ = scope_->may_wait();
        return false;
    }
    void await_suspend(std::coroutine_handle<> h) {
        if (!allowed_) return scope_->abandoned();
        begin(h);
    }

private:
    bool allowed_ = true;
};

/// Whether a coroutine on this executor is on the run's loop. False once the loop was destroyed.
bool is_home(const RunCore& run, const asio::any_io_executor& executor) {
    const LoopCore* loop = run.loop.load(std::memory_order_acquire);
    if (loop && loop == loop_of_this_thread()) return loop->executor() == executor;  // in the loop's turn
    return loop && run.mailbox->leads_to(executor);
}

class FarWait;
/// The request of a reader on another executor. The waiting frame and the run's loop share it; each may be destroyed
/// first.
struct ReadRequest : Waiter {
    ReadRequest(CoreRef r, bool event, FarWait* f, asio::any_io_executor e)
        : run(std::move(r)), wants_event(event), frame(f), executor(std::move(e)) {
        wake = [](Waiter& w) { look(std::exchange(static_cast<ReadRequest&>(w).self, nullptr)); };
    }
    static void look(const std::shared_ptr<ReadRequest>&);                  // on the run's loop
    static void withdraw(const std::shared_ptr<ReadRequest>&);              // from any thread
    static void answer(const std::shared_ptr<ReadRequest>&, bool aborted);  // under the lock, while the frame exists

    const CoreRef run;
    const bool wants_event;
    std::shared_ptr<ReadRequest> self;  // in the run's list
    std::mutex mutex;                   // protects the members below
    FarWait* frame;                     // null: no frame waits
    asio::any_io_executor executor;
    PublishedBox event;
    std::exception_ptr error;
    bool answered = false, aborted = false;
};
class FarWait final : public ScopedWait {
public:
    FarWait(Scope* scope, CoreRef run, bool event) : ScopedWait(scope), run_(std::move(run)), wants_event_(event) {}
    ~FarWait() {
        if (!waiting_) return;
        {
            std::lock_guard lock(request_->mutex);
            request_->frame = nullptr;
            request_->executor = {};
        }
        ReadRequest::withdraw(request_);
        scope_->forget();
    }
    bool await_suspend(std::coroutine_handle<> h) {
        if (!allowed_) {
            scope_->abandoned();
            return true;
        }
        request_ = std::make_shared<ReadRequest>(run_, wants_event_, this, scope_->executor());
        guard_.emplace(scope_->executor());
        waiting_ = h;
        scope_->begins(*this);
        const MailboxRef mailbox(run_->mailbox);  // this object may be destroyed once the post is done
        if (mailbox->post([request = request_] { ReadRequest::look(request); })) return true;
        ended();  // the loop was destroyed: read what it has left here
        return false;
    }
    void cancel_wait() override {
        const auto request = request_;
        {
            std::lock_guard lock(request->mutex);
            if (request->answered) return;
            ReadRequest::answer(request, true);
        }
        ReadRequest::withdraw(request);
    }
    PublishedBox await_resume() {
        if (request_->aborted) {
            scope_->mark_cancellation_delivered();
            throw_aborted();
        }
        if (request_->error) std::rethrow_exception(request_->error);
        if (wants_event_ && !request_->answered) return run_->next_published();
        return std::move(request_->event);
    }
    void resume() {
        const auto h = waiting_;
        ended();
        h.resume();
    }

private:
    void ended() {
        waiting_ = {};
        guard_.reset();
        scope_->ended();
    }
    CoreRef run_;
    std::shared_ptr<ReadRequest> request_;
    std::optional<asio::executor_work_guard<asio::any_io_executor>> guard_;
    bool wants_event_;
};
void ReadRequest::answer(const std::shared_ptr<ReadRequest>& request, bool aborted) {
    request->answered = true;
    request->aborted = aborted;
    asio::post(request->executor, [request] {
        FarWait* frame = nullptr;
        {
            std::lock_guard lock(request->mutex);
            frame = std::exchange(request->frame, nullptr);
            request->executor = {};  // its context may be destroyed before this request
        }
        if (frame) frame->resume();
    });
}
void ReadRequest::look(const std::shared_ptr<ReadRequest>& request) {
    RunCore& run = *request->run;
    std::lock_guard lock(request->mutex);
    if (!request->frame || request->answered) return;
    try {
        if (request->wants_event) request->event = run.next_published();
    } catch (...) { request->error = std::current_exception(); }  // from the copy of a stop event
    if (request->event || request->error || (request->wants_event ? run.ended : run.complete))
        return answer(request, false);
    request->self = request;
    request->link(run.readers);
}
void ReadRequest::withdraw(const std::shared_ptr<ReadRequest>& request) {
    request->run->mailbox->post([request] {
        if (!std::exchange(request->self, nullptr)) return;
        request->unlink();
    });
}
struct far_news_of {
    far_news_of(CoreRef r, bool e) : run(std::move(r)), event(e) {}
    CoreRef run;
    bool event;
};
auto bridge(Scope* scope, far_news_of n) { return FarWait(scope, std::move(n.run), n.event); }
}

awaitable<void> until_complete(CoreRef core) {
    auto& executor = co_await this_executor();
    while (core->loop.load(std::memory_order_acquire)) {
        if (is_home(*core, executor)) {
            co_await change_of<ChangeWait>(core);
        } else {
            co_await far_news_of(core, false);
            co_return;
        }
    }
}
awaitable<PublishedBox> next_published(CoreRef core) {
    auto& executor = co_await this_executor();
    while (core->loop.load(std::memory_order_acquire)) {
        if (!is_home(*core, executor)) {
            auto event = co_await far_news_of(core, true);
            co_return std::move(event);
        }
        auto event = core->next_published();
        if (event || core->ended) co_return std::move(event);
        co_await change_of<ChangeWait>(core);
    }
    auto event = core->next_published();
    co_return std::move(event);
}
}
