// A cancelled scope refuses further waits, so that no code continues in it forever. This wait is allowed, because the
// work that it waits for has got a stop request. A posted handler takes the lock first: its effects, which may destroy
// the loop, begin after the posting thread has left post().
#include "tools/mcp/client/cross_loop_call.hpp"
#include "engine/asio.hpp"
#include "engine/core/wait/scope.hpp"
#include "engine/spawn.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/post.hpp>

namespace weft::tools::mcp {
struct CrossLoopCall::ElicitCall {
    ElicitRequest request;
    ElicitResult result;  // the caller's before the signal rings, then the client's
    Signal signal;
    bool unwanted = false;  // guarded by the lock: the client no longer waits for the answer
};
/// Lives while the client waits for an answer.
struct CrossLoopCall::AnswerWait {
    AnswerWait(CrossLoopCall& c, ElicitCall& a) : crossing(c), asked(a) {}
    AnswerWait(const AnswerWait&) = delete;
    ~AnswerWait() {
        std::lock_guard lock(crossing.mutex_);
        asked.unwanted = true;
        crossing.wake();
    }
    CrossLoopCall& crossing;
    ElicitCall& asked;
};
/// Takes the end of the work. The destructor reports an end, too, if the client's loop is destroyed.
struct CrossLoopCall::End {
    explicit End(std::shared_ptr<CrossLoopCall> c) : crossing(std::move(c)) {}
    End(End&&) = default;
    ~End() {
        if (crossing) crossing->end(core::aborted(), {});
    }
    void operator()(std::exception_ptr error, Observation observation) {
        std::exchange(crossing, nullptr)->end(std::move(error), std::move(observation));
    }
    std::shared_ptr<CrossLoopCall> crossing;
};
/// Waits for news, also in a cancelled scope: then the work gets a stop request, and its end is the news.
class CrossLoopWait final : core::PendingWait {
public:
    CrossLoopWait(core::Scope* scope, CrossLoopCall* crossing) : scope_(scope), crossing_(crossing) {}
    CrossLoopWait(CrossLoopWait&& o) noexcept : scope_(o.scope_), crossing_(o.crossing_) {}  // before the await
    ~CrossLoopWait() {
        if (!waiting_) return;
        crossing_->waiting_ = nullptr;
        scope_->forget();
    }
    bool await_ready() const { return crossing_->has_news(); }
    void await_suspend(std::coroutine_handle<> h) {
        waiting_ = h;
        crossing_->waiting_ = this;
        scope_->begins(*this);
        if (scope_->cancelled()) crossing_->stop();
    }
    /// Returns whether the caller is cancelled.
    bool await_resume() {
        if (std::exchange(waiting_, {})) scope_->ended();
        if (scope_->cancelled()) scope_->mark_cancellation_delivered();
        return scope_->cancelled();
    }
    void cancel_wait() override { crossing_->stop(); }
    void resume() {
        crossing_->waiting_ = nullptr;
        waiting_.resume();
    }

private:
    core::Scope* scope_;
    CrossLoopCall* crossing_;
    std::coroutine_handle<> waiting_;
};
namespace {
struct news_of {
    explicit news_of(CrossLoopCall* c) : crossing(c) {}
    CrossLoopCall* crossing;
};
CrossLoopWait bridge(core::Scope* scope, news_of news) { return CrossLoopWait(scope, news.crossing); }
}

// ----- on the client's loop

void CrossLoopCall::wake() {
    if (!home_ || posted_) return;
    posted_ = true;
    asio::post(home_, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->arrive();
    });
}
void CrossLoopCall::hear(const CallProgress& progress) {
    std::lock_guard lock(mutex_);
    if (!home_) return;
    progress_ = progress;
    wake();
}
void CrossLoopCall::end(std::exception_ptr error, Observation observation) {
    std::lock_guard lock(mutex_);
    ended_ = true;
    there_ = {};
    error_ = std::move(error);
    observation_ = std::move(observation);
    wake();
}
awaitable<ElicitResult> CrossLoopCall::put(std::shared_ptr<CrossLoopCall> self, ElicitRequest request) {
    const auto asked = std::make_shared<ElicitCall>();
    asked->request = std::move(request);
    const AnswerWait wanted(*self, *asked);
    {
        std::lock_guard lock(self->mutex_);
        self->asked_.push_back(asked);
        self->wake();
    }
    co_await asked->signal.wait();
    co_return std::move(asked->result);
}

// ----- on the caller's loop

CallOptions CrossLoopCall::options() {
    CallOptions options;
    const auto self = shared_from_this();
    options.progress = [self](const CallProgress& progress) { self->hear(progress); };
    if (context_->can_ask()) options.elicit = [self](ElicitRequest request) { return put(self, std::move(request)); };
    else
        options.unasked = [self](const std::string& message) {
            std::lock_guard lock(self->mutex_);
            if (!self->taken_back_) self->taken_back_ = message;
        };
    return options;
}
void CrossLoopCall::begin(const Runtime& there, awaitable<Observation> work) {
    there_ = there.executor;
    if (there_ != home_) guard_.emplace(home_);
    spawn(there, std::move(work), asio::bind_cancellation_slot(stop_.slot(), End(shared_from_this())));
}
void CrossLoopCall::stop() {
    std::lock_guard lock(mutex_);
    if (!there_) return;
    asio::post(there_, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        { std::lock_guard posted(self->mutex_); }
        self->stop_.emit(asio::cancellation_type::terminal);
    });
}
void CrossLoopCall::leave() {
    context_ = nullptr;
    stop();
    guard_.reset();
    std::lock_guard lock(mutex_);
    home_ = {};
}
void CrossLoopCall::arrive() {
    std::optional<CallProgress> told;
    bool is_wanted = true;
    {
        std::lock_guard lock(mutex_);
        posted_ = false;
        told.swap(progress_);
        if (answering_) is_wanted = !ended_ && !answering_->unwanted;
    }
    if (told && context_) context_->progress(told->progress, told->total.value_or(0), told->message);
    if (!is_wanted) {
        withdrawn_ = true;
        asking_.cancel();
    } else if (waiting_ && has_news()) waiting_->resume();
}
bool CrossLoopCall::has_ended() {
    std::lock_guard lock(mutex_);
    return ended_;
}
bool CrossLoopCall::has_news() {
    std::lock_guard lock(mutex_);
    return ended_ || !asked_.empty();
}
/// Null: none.
std::shared_ptr<CrossLoopCall::ElicitCall> CrossLoopCall::next_question(bool& is_wanted) {
    std::lock_guard lock(mutex_);
    if (asked_.empty()) return {};
    auto asked = std::move(asked_.front());
    asked_.pop_front();
    is_wanted = !ended_ && !asked->unwanted;
    return asked;
}

awaitable<void> CrossLoopCall::answer(std::shared_ptr<ElicitCall> asked) {
    ToolQuestion question;
    question.from = asked->request.server;
    question.message = asked->request.message;
    question.form.text = asked->request.form.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    question.mistake = asked->request.mistake;
    const auto answer = co_await context_->ask(std::move(question));
    auto& result = asked->result;
    result.action = ElicitResult::Action::decline;
    if (answer.action == AnswerAction::cancel) result.action = ElicitResult::Action::cancel;
    if (answer.action == AnswerAction::accept) {
        result.action = ElicitResult::Action::accept;
        result.content = nlohmann::json::parse(answer.content.text, nullptr, false);
    }
    if (answer.action == AnswerAction::unanswered)
        unanswered_.push_back("the server asked \"" + quoted(asked->request.message, 300) +
                              "\", and no person was there to answer, so it was declined");
    asked->signal.ring();
}
awaitable<Observation> CrossLoopCall::follow() {
    struct Answering {
        explicit Answering(CrossLoopCall& c) : crossing(c) {}
        ~Answering() { crossing.answering_.reset(); }
        CrossLoopCall& crossing;
    };
    std::exception_ptr unasked;  // reason for an unasked question, such as a cancellation
    while (!has_ended()) {
        const bool cancelled = co_await news_of(this);
        if (cancelled && !unasked && has_ended()) unasked = core::aborted();
        bool is_wanted = false;
        answering_ = next_question(is_wanted);
        withdrawn_ = false;
        const Answering now(*this);
        if (!is_wanted || cancelled || unasked) continue;
        auto answering = core::until_withdrawn(asking_, answer(answering_));
        try {
            co_await std::move(answering);
        } catch (...) {
            if (withdrawn_) continue;
            unasked = std::current_exception();
            stop();
        }
    }
    if (unasked) std::rethrow_exception(unasked);
    if (taken_back_)
        context_->note("the server asked \"" + quoted(*taken_back_, 200) +
                       "\", and took the question back, because no person can answer here: an agent's run asks it");
    if (error_) std::rethrow_exception(error_);
    for (const auto& note : unanswered_) observation_.text += "\n[" + note + "]";
    co_return std::move(observation_);
}
}
