// Converts questions of a run to forms for the human at a client, and filled forms to the events that answer.
//
//     const auto question = ask_by_form(type, value, answers);     // {"method": "elicitation/create", "params": {...}}
//     const auto answer = read_form(result, answers);  // throws DeclinedForm; Error{bad_json} for no answer
//     run.answer(id, answer.event, answer.data);
//
// A form is a flat object of texts, numbers, booleans and choices. The human writes all other values as JSON text. If
// several events answer a question, the form has a field that chooses one. Pure.
#pragma once
#include "engine/event_json.hpp"
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace weft::mcp_server {
/// The human does not want to answer.
struct DeclinedForm : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// `mistake`: the mistake in the last answer, if the question is asked again.
nlohmann::json ask_by_form(std::string_view type, const nlohmann::json& value,
                           const std::vector<const EventType*>& answers, std::string_view mistake = {});
struct FormAnswer {
    std::string event;
    nlohmann::json data;
};
FormAnswer read_form(const nlohmann::json& result, const std::vector<const EventType*>& answers);
/// The message of a question that is asked again, with the mistake in the last answer; empty: it is asked first.
std::string with_mistake(std::string message, std::string_view mistake);
/// One part of a question for a human; a long part is cut, with the number of missing bytes. Check fits_question()
/// before you ask for a permission, since the human has to see all of it.
std::string shown_part(std::string_view text);
bool fits_question(std::string_view text);
/// "ToolApprovalRequestEvent" -> "tool approval request"
std::string words_of(std::string_view event);
}
