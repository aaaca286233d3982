// A call that runs on the loop of its client, as the loop of its caller sees it: its progress and its questions come
// over, one at a time, and in the end what it gave. Internal to tools/mcp.
//
//     const auto crossing = std::make_shared<Crossing>(home, context);
//     const Crossing::Stay stay(*crossing);                       // whoever leaves before the end cancels the call
//     crossing->begin(server.runtime, std::move(work));
//     auto observation = co_await crossing->follow();
//
// The questions are asked in the scope of the caller, who is idle meanwhile. Cancelling the caller cancels the call,
// and its end is still waited for.
#pragma once
#include "engine/bell.hpp"
#include "tools/mcp/client.hpp"
#include "tools/tool_context.hpp"
#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <deque>

namespace weft::tools::mcp {
class CrossingWait;
class Crossing : public std::enable_shared_from_this<Crossing> {
public:
    /// `home`: of the caller.
    Crossing(Runtime home, ToolContext& context) : home_(std::move(home)), context_(&context) {}
    Crossing(const Crossing&) = delete;

    /// As long as the caller is there.
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
    bool has_news() const { return ended_ || !asked_.empty(); }
    void wake();
    void stop();
    void leave();
    void tell(const Progress&);
    awaitable<ElicitResult> put(ElicitRequest);
    awaitable<void> answer(std::shared_ptr<Asked>);
    const Runtime home_;
    std::atomic<bool> left_ = false;  // the caller is gone, and its loop may be
    // On the caller's loop only:
    ToolContext* context_;  // null: the caller is gone
    std::deque<std::shared_ptr<Asked>> asked_;
    std::vector<std::string> unanswered_;
    CrossingWait* waiting_ = nullptr;
    asio::cancellation_signal stop_;  // of the work
    bool ended_ = false;
    std::exception_ptr error_;
    Observation observation_;
};
}
