// Watches a run while this process waits for a human's line. The wait ends when another process answers the question,
// the run ends, or the asker no longer wants the answer, such as a tool whose call has ended.
//
//     Elsewhere elsewhere;                                            // before the engine, which it must outlive
//     options.observer = elsewhere.next_run();
//     lines.next("> ", {.unwanted = elsewhere.closed(question)});     // ends once the question is closed
//     if (elsewhere.is_closed(question)) ...
#pragma once
#include "engine/observer.hpp"
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace weft::driver {
class Elsewhere {
public:
    Elsewhere();
    ~Elsewhere();
    Elsewhere(const Elsewhere&) = delete;
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
    struct OfRun : Observer {
        explicit OfRun(Elsewhere& all) : all(all) {}
        void question_asked(const Run&, std::string_view question, QuestionId) noexcept override;
        void event_streamed(const Run&, const AnyEvent&) noexcept override;
        void question_answered(const Run&, std::string_view question, QuestionId) noexcept override;
        void run_ended(const Run&, RunStatus) noexcept override;
        void run_parked(const Run& run) noexcept override { run_ended(run, RunStatus::failed); }
        Elsewhere& all;
    };
    using Question =
        std::pair<std::string, QuestionId>;  // the child run that asks, or "", and its own id of the question
    Question own_name(QuestionId) const;
    bool is_closed(const Question& q) const { return answered_.contains(q) || ended_children_.contains(q.first); }
    bool has_asked(std::string_view child) const;
    void tell_if_closed();
    const int closed_;
    std::mutex mutex_;
    std::deque<OfRun> runs_;                // only the last one counts; late reports may still reach the others
    Question asking_;                       // the stream shows its event next, under the stream's id
    std::map<QuestionId, Question> shown_;  // child runs' questions, by the stream's id
    std::set<Question> answered_;
    std::set<std::string> ended_children_;  // only those that have asked
    Question awaited_;
    bool ended_ = false;
};
}
