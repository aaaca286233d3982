// Questions of a server to the person behind a call: forms of a few plain fields.
//
//     mcp::ElicitRequest request = mcp::read_elicit("files", params);      // throws mcp::BadForm
//     nlohmann::json answer = co_await mcp::ask_form(elicit, request);     // {"action": "accept", "content": {...}}
//
// A form is a flat object of texts, numbers, integers, booleans and choices. Defaults of fields that the answer leaves
// out are filled in. An answer that does not fit the form is asked for again, twice, with what was wrong in the
// request; after that the question counts as cancelled. Texts have no hidden characters. What a form asks for is the
// server's business: show the server's name, and never answer it without a person.
#pragma once
#include "engine/awaitable.hpp"
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace weft::tools::mcp {
struct ElicitRequest {
    std::string server;   // the configured name
    std::string tool;     // whose call it belongs to, as the server knows it; empty if that cannot be told
    std::string message;  // of the server, for people
    nlohmann::json form;  // a schema: {"type": "object", "properties": {...}, "required": [...]}
    std::string mistake;  // what was wrong with the answer before this one; empty at first
};
struct ElicitResult {
    enum class Action { accept, decline, cancel };
    Action action = Action::cancel;
    nlohmann::json content = nlohmann::json::object();  // of an answer that accepts
};
/// Called on the loop of the client. An exception ends the call.
using Elicit = std::function<awaitable<ElicitResult>(ElicitRequest)>;

/// A predicate: what is wrong with a question, so that it is not asked.
struct BadForm : std::runtime_error {
    using std::runtime_error::runtime_error;
};
ElicitRequest read_elicit(std::string server, const nlohmann::json& params);
/// The content with the defaults of the fields that it leaves out.
nlohmann::json with_defaults(const nlohmann::json& form, nlohmann::json content);
/// Empty if the content fits the form.
std::string form_mistake(const nlohmann::json& form, const nlohmann::json& content);
/// The result for the server. The function outlives it.
awaitable<nlohmann::json> ask_form(const Elicit&, ElicitRequest);
}
