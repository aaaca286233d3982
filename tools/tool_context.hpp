// The link from a tool call to its run: facts about the run, and messages during the call. Most tools do not need it. A
// tool that does takes it as the first or last parameter, which is not part of its schema:
//
//     awaitable<std::string> load_orders(ToolContext& context, std::string file) {
//         for (int done = 0; done < 10; ++done) {
//             ...                                          // with context.key(), so that no part is loaded twice
//             context.progress(done + 1, 10, "parts of the file");
//         }
//         co_return "Loaded for " + context.values().value("tenant", "nobody");
//     }
//     tools.add(make_tool("load_orders", "Loads a file of orders.", load_orders, {"file"}));
// A class derives from ContextTool (tools/tool.hpp), or from ToolWrapper.
//
// When the run is cancelled, each wait of the tool ends with operation_aborted, and work of a Pool gets a stop request.
// A context lives as long as its call; use it on the loop of its run only, not in a thread of a Pool. Messages are
// bounded: texts are cut to 500 bytes, and a call may send 20 messages at once, 10 more in each second, and 1000
// altogether. Further messages are dropped, except for the first one that reports the end of the work
// (done >= total). A call may ask at most 20 questions.
#pragma once
#include "engine/awaitable.hpp"
#include "tools/observation.hpp"
#include "tools/question.hpp"
#include <chrono>
#include <nlohmann/json_fwd.hpp>

namespace weft {
class Clock;  // engine/clock.hpp
}
namespace weft::tools {
class ToolContext {
public:
    virtual ~ToolContext() = default;
    /// Uses the machine's clock.
    ToolContext();
    ToolContext(const ToolContext&) = delete;

    /// Reports `done` of `total`, in any unit. A total of 0 is unknown.
    void progress(double done, double total = 0, std::string note = {});
    /// Reports the current activity in a sentence for the human.
    void note(std::string text);

    /// A key that is the same for each attempt of this call, also after a crash, and differs for other calls. A tool
    /// that changes something passes it to the remote service, which then does the change once. Empty: no key.
    virtual std::string key() const { return {}; }
    /// The time at which the run's timeout ends, by the clock of its loop.
    virtual std::optional<std::chrono::steady_clock::time_point> deadline() const { return {}; }
    /// The caller's values for the run, such as the user's id (RunOptions::values): an object, which the model never
    /// sees. Empty: none.
    virtual nlohmann::json values() const;
    /// Awaits the work, but never twice for this call if the run is durable: a repeated call gets the first result, or
    /// std::nullopt if that is unknown. See tools/at_most_once.hpp.
    virtual awaitable<std::optional<Observation>> at_most_once(awaitable<Observation> work);

    /// Asks the person whom the run serves, and waits for the answer without a limit: the question is one of the run,
    /// which is idle meanwhile. The answer does not repeat the call. If the process ends before the call does, a
    /// durable run repeats the call, and answered questions are not asked again if their text is the same; a call that
    /// runs at most once loses the answer.
    /// The content of an accepted answer is a JSON object. Throws ToolError for a form of more than 64 KiB, and for the
    /// 21st question; other texts are cut, the message to 4000 bytes.
    awaitable<ToolAnswer> ask(ToolQuestion);
    /// Whether there is a person to ask. If not, ask() returns `unanswered` immediately.
    virtual bool can_ask() const { return false; }

protected:
    /// Uses the clock of the call's loop, which must outlive the context.
    explicit ToolContext(const Clock&);
    /// Resets the counts of messages and questions, for a context that serves several calls in turn.
    void begin_counting();
    struct ProgressReport {
        std::optional<double> done, total;  // finite, and not negative
        std::string text;                   // UTF-8, at most 500 bytes
    };
    /// Drops the message by default.
    virtual void tell(ProgressReport) {}
    /// Called only if can_ask(). The texts are UTF-8, and within their limits.
    virtual awaitable<ToolAnswer> put(ToolQuestion);

private:
    void tell_within_bounds(ProgressReport);
    const Clock& clock_;
    double may_tell_ = 0;  // number of messages allowed now
    int told_ = 0, asked_ = 0;
    bool told_all_ = false;  // beyond the limits
    std::chrono::steady_clock::time_point last_told_;
};
}
