// What others do to a run while a human is asked here: they answer its question, end it, or do not want the answer any
// more, as a tool whose call has ended. Then the wait for the human's line ends.
//
//     Elsewhere elsewhere;                                            // before the engine, as it has to outlive that
//     options.observer = elsewhere.next_run();
//     lines.next("> ", {.unwanted = elsewhere.closed(question)});     // ends when the question is open no more
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
    /// The observer of a run that is started or resumed now; the one before is not listened to any more.
    Observer* next_run();
    /// A descriptor that is readable once this question is closed or the run has ended.
    int closed(QuestionId);
    /// Whether the question was answered, from whatever side.
    bool is_answered(QuestionId);
    /// Whether it was answered, or the child run that asked it has ended without.
    bool is_closed(QuestionId);
    bool has_ended();

private:
    struct OfRun : Observer {
        explicit OfRun(Elsewhere& all) : all(all) {}
        void question_asked(const Run&, std::string_view question, QuestionId) noexcept override;
        void event_streamed(const Run&, const AnyEvent&) noexcept override;
        void question_answered(const Run&, std::string_view question, QuestionId) noexcept override;
        void run_ended(const Run&, Cause) noexcept override;
        void run_parked(const Run& run) noexcept override { run_ended(run, Cause::failed); }
        Elsewhere& all;
    };
    using Question = std::pair<std::string, QuestionId>;  // the run that has asked, and what it calls the question
    Question own_name(QuestionId) const;
    bool is_closed(const Question& q) const { return answered_.contains(q) || ended_children_.contains(q.first); }
    bool has_asked(std::string_view child) const;
    void tell_if_closed();
    const int closed_;
    std::mutex mutex_;
    std::deque<OfRun> runs_;  // the last one is listened to; the others may still be told of an end that is late
    Question asking_;         // which its event, with the id that the stream has for it, follows
    std::map<QuestionId, Question> shown_;  // of child runs
    std::set<Question> answered_;
    std::set<std::string> ended_children_;  // of those that have asked
    Question awaited_;
    bool ended_ = false;
};
}
