// Questions of a server to the person behind a call: forms with a few plain fields.
//
//     mcp::ElicitRequest request = mcp::read_elicit("files", params);      // throws mcp::BadForm
//     nlohmann::json answer = co_await mcp::ask_form(elicit, request);     // {"action": "accept", "content": {...}}
//
// A form is a flat object of texts, numbers, integers, booleans and choices. Fields missing in the answer get their
// defaults. An answer that violates the form is asked for again, twice, with the error in the request; after that the
// question counts as cancelled. Texts have no hidden characters. The server decides what a form asks for: show the
// server's name, and never answer a form without a person.
#pragma once
#include "engine/awaitable.hpp"
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace weft::tools::mcp {
struct ElicitRequest {
    std::string server;   // the configured name
    std::string tool;     // the tool of the call, in the server's words; empty: unknown
    std::string message;  // the server's text for people
    nlohmann::json form;  // a schema: {"type": "object", "properties": {...}, "required": [...]}
    std::string mistake;  // the error in the previous answer; empty at first
};
struct ElicitResult {
    enum class Action { accept, decline, cancel };
    Action action = Action::cancel;
    nlohmann::json content = nlohmann::json::object();  // content of an accepted answer
};
/// Called on the client's loop. An exception ends the call.
using Elicit = std::function<awaitable<ElicitResult>(ElicitRequest)>;

/// An error in a question, which is then not asked: the part of a sentence after "the question".
struct BadForm : std::runtime_error {
    using std::runtime_error::runtime_error;
};
ElicitRequest read_elicit(std::string server, const nlohmann::json& params);
/// Adds the defaults of missing fields to the content.
nlohmann::json with_defaults(const nlohmann::json& form, nlohmann::json content);
/// The error in the content; empty: it fits the form.
std::string form_mistake(const nlohmann::json& form, const nlohmann::json& content);
/// The result for the server. The function must outlive the awaitable.
awaitable<nlohmann::json> ask_form(const Elicit&, ElicitRequest);
}
