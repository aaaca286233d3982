// Answers for workflows outside the catalogue cannot be checked here: the engine that takes the answer checks them.
#include "workflows/catalog/answer_types.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/catalog.hpp"
#include <nlohmann/json.hpp>
#include <set>

namespace weft::catalog {
AnswerTypes::AnswerTypes(std::string_view workflow) {
    if (const auto* entry = find_stored_workflow(workflow)) own_ = &entry->outline();
    if (!own_) return;
    for (auto& entry : entries()) add(entry.outline());
    add(*own_);
}
/// Replaces another workflow's entry for a question of the same name.
void AnswerTypes::add(const Definition& outline) {
    for (auto& question : questions(outline)) {
        auto& of = answers_[std::string(question.asks->name)];
        of.clear();
        for (const auto* answer : question.answers) of.insert_or_assign(std::string(answer->name), answer);
    }
}
core::TypeIndex AnswerTypes::answers_of(const EventType& type) const {
    return own_->plan.events[std::size_t(&type - own_->events.data())].answers;
}
bool AnswerTypes::fits(const std::string& event, const std::string& question) const {
    const auto of = answers_.find(question);
    return of == answers_.end() || of->second.contains(event);
}
bool AnswerTypes::needs_no_question(const std::string& event) const {
    const auto* type = own_ ? find_event(*own_, event) : nullptr;
    return type && answers_of(*type) == core::any_question;
}
bool AnswerTypes::is_signal(const std::string& event) const {
    const auto* type = own_ ? find_event(*own_, event) : nullptr;
    return type && answers_of(*type) == core::signals;
}
std::vector<const EventType*> AnswerTypes::signals() const {
    std::vector<const EventType*> all;
    if (!own_) return all;
    for (auto& type : own_->events)
        if (answers_of(type) == core::signals) all.push_back(&type);
    return all;
}
std::vector<const EventType*> AnswerTypes::types_for(const std::string& question) const {
    std::vector<const EventType*> types;
    if (const auto of = answers_.find(question); of != answers_.end())
        for (auto& [name, type] : of->second) types.push_back(type);
    return types;
}
std::string AnswerTypes::answers_to(const std::string& question) const {
    return with_commas(types_for(question), &EventType::name);  // sorted: the keys of a map
}
const EventType* AnswerTypes::type_for(const std::string& event) const {
    if (!own_) return nullptr;
    const auto* type = find_event(*own_, event);
    if (type && answers_of(*type) != core::no_type) return type;
    for (auto& [question, types] : answers_)
        if (const auto at = types.find(event); at != types.end()) return at->second;
    return nullptr;
}
void AnswerTypes::check(const std::string& workflow, const std::string& event, const nlohmann::json& data) const {
    if (!own_) return;
    if (const auto* type = type_for(event)) {
        read_event(*type, data);
        return;
    }
    std::set<std::string> names;
    for (auto& each : own_->events)
        if (answers_of(each) != core::no_type) names.insert(std::string(each.name));
    throw Error(Code::usage, "the workflow " + workflow + " takes no " + event + " from outside; it takes " +
                                 (names.empty() ? "no answers" : with_commas(names)));
}
}
