// A call that runs on the loop of its client, as the loop of its caller sees it: its progress and its questions come
// over, one at a time, and in the end what it gave. Internal to tools/mcp.
//
//     const auto crossing = std::make_shared<Crossing>(home, context);
//     const Crossing::Stay stay(*crossing);                       // whoever leaves before the end cancels the call
//     crossing->begin(server.runtime, std::move(work));
//     auto observation = co_await crossing->follow();
//
// The questions are asked in the scope of the caller, who is idle meanwhile. Cancelling the caller cancels the call,
// and its end is still waited for. A question that the client does not wait for any more, because its call has ended,
// is cancelled.
//
// Either loop may be destroyed before the other one, with what it has of this: the caller's as long as nobody stays,
// the client's once the work has ended or was destroyed. So whatever is posted is posted under the lock.
#pragma once
#include "engine/bell.hpp"
#include "engine/core/wait/withdrawal.hpp"
#include "tools/mcp/client/client.hpp"
#include "tools/tool_context.hpp"
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <deque>
#include <mutex>

namespace weft::tools::mcp {
class CrossingWait;
class Crossing : public std::enable_shared_from_this<Crossing> {
public:
    /// `home`: of the caller.
    Crossing(const Runtime& home, ToolContext& context) : home_(home.executor), context_(&context) {}
    Crossing(const Crossing&) = delete;

    /// As long as the caller is there. Its loop has work until then, if the call is on another one.
    class Stay {
    public:
        explicit Stay(Crossing& crossing) : crossing_(crossing) {}
        Stay(const Stay&) = delete;
        ~Stay() { crossing_.leave(); }

    private:
        Crossing& crossing_;
    };
    /// What the client's call is given: it tells and asks through this, on the client's loop.
    CallOptions options();
    void begin(const Runtime& there, awaitable<Observation> work);
    /// Throws what the work throws. What nobody answered stands below the text.
    awaitable<Observation> follow();

private:
    friend class CrossingWait;
    struct Asked;
    struct End;
    struct Wanted;
    // On the client's loop:
    static awaitable<ElicitResult> put(std::shared_ptr<Crossing>, ElicitRequest);
    void hear(const Progress&);
    void end(std::exception_ptr, Observation);
    void wake();  // with the lock
    // On the caller's loop:
    void arrive();
    void stop();
    void leave();
    bool has_ended();
    bool has_news();
    std::shared_ptr<Asked> next_question(bool& is_wanted);
    awaitable<void> answer(std::shared_ptr<Asked>);

    std::mutex mutex_;
    // With the lock:
    asio::any_io_executor home_;   // none: the caller is gone, and its loop may be
    asio::any_io_executor there_;  // none: the work has ended, and the client's loop may be gone
    bool posted_ = false;          // that the caller looks for news
    bool ended_ = false;
    std::optional<Progress> progress_;  // the latest that has not come over
    std::deque<std::shared_ptr<Asked>> asked_;
    std::optional<std::string> taken_back_;  // the first question, where nobody can be asked
    std::exception_ptr error_;
    Observation observation_;
    // On the caller's loop only:
    ToolContext* context_;                                                   // null: the caller is gone
    std::optional<asio::executor_work_guard<asio::any_io_executor>> guard_;  // of its loop
    std::shared_ptr<Asked> answering_;
    bool withdrawn_ = false;  // it, by the client
    core::Withdrawal asking_;
    std::vector<std::string> unanswered_;
    CrossingWait* waiting_ = nullptr;
    // On the client's loop, once the work has begun:
    asio::cancellation_signal stop_;
};
}
