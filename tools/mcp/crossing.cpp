// A cancelled scope refuses to wait once more, so that no code goes on in it for ever. This wait does it all the same,
// because the work that it waits for has been told to stop.
#include "tools/mcp/crossing.hpp"
#include "engine/asio.hpp"
#include "engine/core/across.hpp"
#include "engine/core/scope.hpp"
#include "engine/spawn.hpp"
#include "tools/mcp/message.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>

namespace weft::tools::mcp {
struct Crossing::Asked {
    ElicitRequest request;
    ElicitResult result;
    std::exception_ptr error;
    Bell bell;
    bool unwanted = false;  // the client does not wait for the answer any more
};
/// Until there is news. It waits in a cancelled scope too: then the work is told to stop, and its end is the news.
class CrossingWait final : core::Pending {
public:
    CrossingWait(core::Scope* scope, Crossing* crossing) : scope_(scope), crossing_(crossing) {}
    CrossingWait(CrossingWait&& o) noexcept : scope_(o.scope_), crossing_(o.crossing_) {}  // before it is awaited
    ~CrossingWait() {
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
    /// Whether the caller is cancelled.
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
    Crossing* crossing_;
    std::coroutine_handle<> waiting_;
};
namespace {
struct news_of {
    explicit news_of(Crossing* c) : crossing(c) {}
    Crossing* crossing;
};
CrossingWait bridge(core::Scope* scope, news_of news) { return CrossingWait(scope, news.crossing); }
}

void Crossing::wake() {
    asio::post(home_.executor, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->waiting_) self->waiting_->resume();
    });
}
void Crossing::stop() { stop_.emit(asio::cancellation_type::terminal); }
void Crossing::leave() {
    left_ = true;
    context_ = nullptr;
    if (!ended_) stop();
}
void Crossing::tell(const Progress& progress) {
    if (context_) context_->progress(progress.progress, progress.total.value_or(0), progress.message);
}

awaitable<ElicitResult> Crossing::put(ElicitRequest request) {
    const auto asked = std::make_shared<Asked>();
    asked->request = std::move(request);
    asked_.push_back(asked);
    wake();
    struct Wanted {
        Asked& asked;
        ~Wanted() { asked.unwanted = true; }
    } wanted{*asked};
    co_await asked->bell.wait();
    if (asked->error) std::rethrow_exception(asked->error);
    co_return std::move(asked->result);
}
CallOptions Crossing::options() {
    CallOptions options;
    const auto self = shared_from_this();
    options.progress = [self](const Progress& progress) {
        if (!self->left_) core::post_across(self->home_.executor, [self, progress] { self->tell(progress); });
    };
    if (context_->can_ask())
        options.elicit = [self](ElicitRequest request) -> awaitable<ElicitResult> {
            auto asking = spawn(self->home_, self->put(std::move(request)), asio::deferred);
            co_return co_await std::move(asking);
        };
    return options;
}
void Crossing::begin(const Runtime& there, awaitable<Observation> work) {
    auto hear_end = [self = shared_from_this()](std::exception_ptr error, Observation observation) {
        self->ended_ = true;
        self->error_ = std::move(error);
        self->observation_ = std::move(observation);
        self->wake();
    };
    spawn(there, std::move(work),
          asio::bind_executor(home_.executor, asio::bind_cancellation_slot(stop_.slot(), std::move(hear_end))));
}

awaitable<void> Crossing::answer(std::shared_ptr<Asked> asked) {
    ToolQuestion question;
    question.from = asked->request.server;
    question.message = asked->request.message;
    question.form.text = asked->request.form.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    question.mistake = asked->request.mistake;
    auto asking = context_->ask(std::move(question));
    const auto answer = co_await std::move(asking);
    auto& result = asked->result;
    result.action = ElicitResult::Action::decline;
    if (answer.action == AnswerAction::cancel) result.action = ElicitResult::Action::cancel;
    if (answer.action == AnswerAction::accept) {
        result.action = ElicitResult::Action::accept;
        result.content = nlohmann::json::parse(answer.content.text, nullptr, false);
        if (!result.content.is_object()) result.content = nlohmann::json::object();  // the form says what is missing
    }
    if (answer.action == AnswerAction::unanswered)
        unanswered_.push_back("the server asked \"" + quoted(asked->request.message, 300) +
                              "\", and there was nobody to answer, so it was declined");
    asked->bell.ring();
}
awaitable<Observation> Crossing::follow() {
    std::exception_ptr unasked;  // what kept a question from being asked, such as a cancellation
    while (!ended_) {
        const bool cancelled = co_await news_of(this);
        if (ended_ && cancelled && !unasked) unasked = core::aborted();
        if (asked_.empty()) continue;
        const auto asked = std::move(asked_.front());
        asked_.pop_front();
        if (asked->unwanted || cancelled || unasked) continue;
        auto answering = answer(asked);
        try {
            co_await std::move(answering);
        } catch (...) {
            unasked = std::current_exception();
            stop();
        }
    }
    if (unasked) std::rethrow_exception(unasked);
    if (error_) std::rethrow_exception(error_);
    for (const auto& note : unanswered_) observation_.text += "\n[" + note + "]";
    co_return std::move(observation_);
}
}
