// What a call of a tool may know of the run that it is made for, and what it may tell while it goes on. Most tools need
// nothing of it. One that does takes it as a parameter, the first or the last, which is no part of its schema:
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
// When the run is cancelled, whatever the tool awaits ends with operation_aborted, and work of a Pool has its stop
// token. A context lives as long as its call, and is used on the loop of its run only, so not by a thread of a Pool.
// What is told is bounded: texts are cut to 500 bytes, and a call tells at most 20 things at once, 10 more in each
// second, and 1000 altogether. What is too much is dropped, except for the first time that all is done
// (done >= total). What is asked is bounded, too: at most 20 questions in a call.
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
    /// By the machine's clock.
    ToolContext();
    ToolContext(const ToolContext&) = delete;

    /// How far the call has come: `done` of `total`, in any unit. A total of 0 is not known.
    void progress(double done, double total = 0, std::string note = {});
    /// What it does, in a sentence for the human.
    void note(std::string text);

    /// The same for each attempt of this call, and after a crash, and another one for each other call. A tool that
    /// changes something passes it on to whoever does that, so that it is done once. Empty: there is none.
    virtual std::string key() const { return {}; }
    /// When the run ends by its timeout, by the clock of its loop.
    virtual std::optional<std::chrono::steady_clock::time_point> deadline() const { return {}; }
    /// What the caller has given to the run, such as the user's id (RunOptions::values): an object, which the model has
    /// never seen. Empty if there is nothing.
    virtual nlohmann::json values() const;
    /// Awaits the work, but never a second time for this call, if the run keeps account of that: the result of the
    /// first time, or nothing if it is not known. See tools/at_most_once.hpp.
    virtual awaitable<std::optional<Observation>> at_most_once(awaitable<Observation> work);

    /// Asks the person whom the run serves, and waits in the middle of the call, for as long as it takes: the question
    /// is one of the run, which is idle meanwhile. The call is not made again because of the answer. If the process
    /// ends before the call does, a durable run makes the call again, and what has been answered is not asked again, if
    /// it is the same question to the letter; of a call that runs at most once, the answer is lost.
    /// The content of an answer that accepts is a JSON object. ToolError for a form of more than 64 KiB, and for the
    /// 21st question; other texts are cut, the message to 4000 bytes.
    awaitable<ToolAnswer> ask(ToolQuestion);
    /// Whether there is somebody. If not, ask() says at once that nobody has answered.
    virtual bool can_ask() const { return false; }

protected:
    /// By the clock of the call's loop, which outlives it.
    explicit ToolContext(const Clock&);
    /// Of a context that serves several calls, one after the other: what is told and asked is counted anew.
    void begin_counting();
    struct Told {
        std::optional<double> done, total;  // finite, and not negative
        std::string text;                   // UTF-8, at most 500 bytes
    };
    /// Nobody hears of it.
    virtual void tell(Told) {}
    /// Only if can_ask(). The texts are UTF-8, and within their bounds.
    virtual awaitable<ToolAnswer> put(ToolQuestion);

private:
    void tell_within_bounds(Told);
    const Clock& clock_;
    double may_tell_ = 0;  // so many things at once
    int told_ = 0, asked_ = 0;
    bool told_all_ = false;  // beyond the bounds
    std::chrono::steady_clock::time_point last_told_;
};
}
