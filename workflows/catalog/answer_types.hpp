// The events that answer the questions of a stored run, from the catalogue, if it has the run's workflow.
//
//     const AnswerTypes types("refund");
//     types.fits("ApprovalEvent", "ApprovalRequestEvent");      // true
//     types.check("refund", "ApprovalEvent", data);             // throws Error{usage} or Error{bad_json}
#pragma once
#include "engine/event_json.hpp"
#include <map>
#include <string>
#include <vector>

namespace weft::catalog {
class AnswerTypes {
public:
    explicit AnswerTypes(std::string_view workflow);
    /// True if the catalogue has the workflow. If not, every event fits every question.
    bool known() const { return own_ != nullptr; }
    bool fits(const std::string& event, const std::string& question) const;
    /// True if a run takes the event without a question.
    bool needs_no_question(const std::string& event) const;
    bool is_signal(const std::string& event) const;
    /// The signals of the workflow, in their order.
    std::vector<const EventType*> signals() const;
    /// The events that answer the question; empty if the catalogue does not have it.
    std::vector<const EventType*> types_for(const std::string& question) const;
    /// The names of these events.
    std::string answers_to(const std::string& question) const;
    /// The type of an event that the run, or a child run of it, takes; null if the catalogue does not have it. A child
    /// run's event has the type of this name in the first workflow of the catalogue that has one.
    const EventType* type_for(const std::string& event) const;
    /// Checks that this event exists, and that the data fit it.
    void check(const std::string& workflow, const std::string& event, const nlohmann::json& data) const;

private:
    using Types = std::map<std::string, const EventType*>;
    void add(const Definition&);
    core::TypeIndex answers_of(const EventType&) const;
    const Definition* own_ = nullptr;
    std::map<std::string, Types> answers_;  // types by question, with those of workflows that may be children
};
}
