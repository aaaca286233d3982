// A call on the client's loop from the view of its caller's loop: brings its progress and its questions over, one at a
// time, and at the end the result. Internal to tools/mcp.
//
//     const auto crossing = std::make_shared<CrossLoopCall>(home, context);
//     const CrossLoopCall::LoopWorkGuard stay(*crossing);  // leaving before the end cancels the call
//     crossing->begin(server.runtime, std::move(work));
//     auto observation = co_await crossing->follow();
//
// Questions are asked in the scope of the caller, which is idle meanwhile. Cancelling the caller cancels the call, and
// waits for its end. A question is cancelled if the client no longer waits for it, because its call has ended.
//
// Either loop may be destroyed before the other, with its part of the crossing: the caller's once no LoopWorkGuard
// exists, the client's once the work has ended or was destroyed. So all posts happen under the lock.
#pragma once
#include "engine/core/wait/withdrawal.hpp"
#include "engine/signal.hpp"
#include "tools/mcp/client/client.hpp"
#include "tools/tool_context.hpp"
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <deque>
#include <mutex>

namespace weft::tools::mcp {
class CrossLoopWait;
class CrossLoopCall : public std::enable_shared_from_this<CrossLoopCall> {
public:
    /// `home` is the caller's.
    CrossLoopCall(const Runtime& home, ToolContext& context) : home_(home.executor), context_(&context) {}
    CrossLoopCall(const CrossLoopCall&) = delete;

    /// Lives as long as the caller waits. It keeps the caller's loop at work if the call is on another loop.
    class LoopWorkGuard {
    public:
        explicit LoopWorkGuard(CrossLoopCall& crossing) : crossing_(crossing) {}
        LoopWorkGuard(const LoopWorkGuard&) = delete;
        ~LoopWorkGuard() { crossing_.leave(); }

    private:
        CrossLoopCall& crossing_;
    };
    /// Options for the client's call: it reports and asks through these, on the client's loop.
    CallOptions options();
    void begin(const Runtime& there, awaitable<Observation> work);
    /// Throws the exceptions of the work. The text ends with the unanswered questions.
    awaitable<Observation> follow();

private:
    friend class CrossLoopWait;
    struct ElicitCall;
    struct End;
    struct AnswerWait;
    // Called on the client's loop:
    static awaitable<ElicitResult> put(std::shared_ptr<CrossLoopCall>, ElicitRequest);
    void hear(const CallProgress&);
    void end(std::exception_ptr, Observation);
    void wake();  // needs the lock
    // Called on the caller's loop:
    void arrive();
    void stop();
    void leave();
    bool has_ended();
    bool has_news();
    std::shared_ptr<ElicitCall> next_question(bool& is_wanted);
    awaitable<void> answer(std::shared_ptr<ElicitCall>);

    std::mutex mutex_;
    // Guarded by the lock:
    asio::any_io_executor home_;   // empty: the caller is gone, and its loop may be
    asio::any_io_executor there_;  // empty: the work has ended, and the client's loop may be gone
    bool posted_ = false;          // the caller will look for news
    bool ended_ = false;
    std::optional<CallProgress> progress_;  // the latest that the caller has not taken
    std::deque<std::shared_ptr<ElicitCall>> asked_;
    std::optional<std::string> taken_back_;  // the first question, if the caller cannot ask
    std::exception_ptr error_;
    Observation observation_;
    // Used on the caller's loop only:
    ToolContext* context_;                                                   // null: the caller is gone
    std::optional<asio::executor_work_guard<asio::any_io_executor>> guard_;  // keeps its loop at work
    std::shared_ptr<ElicitCall> answering_;
    bool withdrawn_ = false;  // the client has withdrawn `answering_`
    core::Withdrawal asking_;
    std::vector<std::string> unanswered_;
    CrossLoopWait* waiting_ = nullptr;
    // Used on the client's loop, once the work has begun:
    asio::cancellation_signal stop_;
};
}
