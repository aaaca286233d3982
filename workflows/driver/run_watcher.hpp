// Watches a run while this process waits for a human's line. The wait ends when another process answers the question,
// the run ends, or the asker no longer wants the answer, such as a tool whose call has ended.
//
//     RunWatcher watcher;                                            // before the engine, which it must outlive
//     options.observer = watcher.next_run();
//     lines.next("> ", {.unwanted = watcher.closed(question)});     // ends once the question is closed
//     if (watcher.is_closed(question)) ...
#pragma once
#include "engine/observer.hpp"
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace weft::driver {
class RunWatcher {
public:
    RunWatcher();
    ~RunWatcher();
    RunWatcher(const RunWatcher&) = delete;
    /// Returns the observer for the next run to start or resume; reports from earlier observers are ignored.
    Observer* next_run();
    /// A descriptor that is readable once this question is closed or the run has ended.
    int closed(QuestionId);
    /// Whether any process has answered the question.
    bool is_answered(QuestionId);
    /// Whether the question was answered, or the child run that asked it has ended.
    bool is_closed(QuestionId);
    bool has_ended();

private:
    struct RunObserver : Observer {
        explicit RunObserver(RunWatcher& watcher) : all(watcher) {}
        void question_asked(const RunInfo&, std::string_view question, QuestionId) noexcept override;
        void event_streamed(const RunInfo&, const AnyEvent&) noexcept override;
        void question_answered(const RunInfo&, std::string_view question, QuestionId) noexcept override;
        void run_ended(const RunInfo&, RunStatus) noexcept override;
        void run_parked(const RunInfo& run) noexcept override { run_ended(run, RunStatus::failed); }
        RunWatcher& all;
    };
    using WatchedQuestion =
        std::pair<std::string, QuestionId>;  // the child run that asks, or "", and its own id of the question
    WatchedQuestion own_name(QuestionId) const;
    bool is_closed(const WatchedQuestion& q) const {
        return answered_.contains(q) || ended_children_.contains(q.first);
    }
    void tell_if_closed();
    const int closed_;
    std::mutex mutex_;
    std::deque<RunObserver> runs_;                 // only the last one counts; late reports may still reach the others
    WatchedQuestion asking_;                       // the stream shows its event next, under the stream's id
    std::map<QuestionId, WatchedQuestion> shown_;  // child runs' questions, by the stream's id
    std::set<WatchedQuestion> answered_;
    std::set<std::string> ended_children_;  // only those that have asked
    WatchedQuestion awaited_;
    bool ended_ = false;
};
}
