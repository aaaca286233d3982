// The asking tools. In the legacy era they ask during the call; modern clients call them again, with the state that was
// sent with the question.
#include "tests/mcp/server/fixtures.hpp"

namespace weft::testing {
namespace {
using mcp_server::Call;
using mcp_server::elicitation;
using mcp_server::text_result;
using nlohmann::json;

json form(const char* properties, std::vector<std::string> required = {}) {
    json all = {{"type", "object"}, {"properties", json::parse(properties)}};
    if (!required.empty()) all["required"] = required;
    return all;
}
json name_form() { return form(R"({"name": {"type": "string"}})", {"name"}); }
json sampling(const std::string& text, int tokens) {
    json message = {{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}};
    return {{"method", "sampling/createMessage"},
            {"params", {{"messages", json::array({message})}, {"maxTokens", tokens}}}};
}
json roots() { return {{"method", "roots/list"}, {"params", json::object()}}; }
json one(const char* key, json request) {
    json all = json::object();
    all[key] = std::move(request);
    return all;
}
std::string told(const json& answer) {
    return "action=" + answer.value("action", "") + ", content=" + answer.value("content", json()).dump();
}
/// Asks these questions with this state, and returns the answers as text.
template <class Questions>
mcp_server::ToolAction asking(Questions questions, std::string state = {}, std::string words = {}) {
    return [questions, state, words](Call& call) {
        return [](json all, std::string kept, std::string said, Call& of) -> awaitable<json> {
            auto asked = of.ask(std::move(all), std::move(kept));
            const auto answers = co_await std::move(asked);
            co_return text_result(said + answers.dump());
        }(questions(call), state, words, call);
    };
}
awaitable<json> ask_twice(Call& call) {
    const auto state = call.state().value_or("");
    if (state.empty()) {
        auto asked = call.ask(one("step1", elicitation("Step 1: What is your name?", name_form())), "round 1");
        const auto answers = co_await std::move(asked);
    }
    const auto name = state == "round 1" ? call.answers().value("step1", json()).dump() : std::string();
    auto question = elicitation("Step 2: What is your favorite color?",
                                form(R"({"color": {"type": "string"}})", {"color"}));
    const auto kept = state == "round 1" ? "round 2 of " + name : state;
    auto asked = call.ask(one("step2", std::move(question)), kept);
    const auto answers = co_await std::move(asked);
    co_return text_result(kept + ": " + answers.dump());
}
awaitable<json> elicit_once(Call& call, json questions) {
    auto asked = call.ask(std::move(questions));
    const auto answers = co_await std::move(asked);
    co_return text_result("Elicitation completed: " + told(*answers.begin()));
}
awaitable<json> say_then_ask(Call& call) {
    call.progress(1, 2);
    return elicit_once(call, one("more", elicitation("Shall it go on?", form(R"({"ok": {"type": "boolean"}})"))));
}
constexpr const char* defaults = R"({
  "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
  "score": {"type": "number", "default": 95.5}, "verified": {"type": "boolean", "default": true},
  "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}})";
constexpr const char* enums = R"({
  "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
  "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
    {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
  "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
    "enumNames": ["Option One", "Option Two", "Option Three"]},
  "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
  "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
    {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}})";
json three(Call&) {
    json all = one("client_roots", roots());
    all["greeting"] = sampling("Generate a greeting", 50);
    all["user_name"] = elicitation("What is your name?", name_form());
    return all;
}
json confirm() { return one("confirm", elicitation("Please confirm", form(R"({"ok": {"type": "boolean"}})", {"ok"}))); }
}

void add_fixture_questions(mcp_server::Core& core) {
    core.add(fixture("test_sampling", [](Call& call) {
        return [](Call& of) -> awaitable<json> {
            auto asked = of.ask(one("sampling", sampling(of.arguments().value("prompt", ""), 100)));
            const auto answers = co_await std::move(asked);
            co_return text_result("LLM response: " + answers.dump());
        }(call);
    }));
    core.add(fixture("test_elicitation", [](Call& call) {
        auto fields = form(R"({"username": {"type": "string", "description": "User's response"},
                               "email": {"type": "string", "description": "User's email address"}})",
                           {"username", "email"});
        return elicit_once(call, one("user", elicitation(call.arguments().value("message", "?"), std::move(fields))));
    }));
    core.add(fixture("test_elicitation_sep1034_defaults", [](Call& call) {
        return elicit_once(call, one("defaults", elicitation("Is this right?", form(defaults))));
    }));
    core.add(fixture("test_elicitation_sep1330_enums",
                     [](Call& call) { return elicit_once(call, one("enums", elicitation("Choose", form(enums)))); }));
    core.add(fixture("test_streaming_elicitation", say_then_ask));
    const auto capital = [](Call&) { return one("capital_question", sampling("What is the capital of France?", 100)); };
    core.add(fixture("test_missing_capability", asking(capital)));
    core.add(fixture("test_input_required_result_elicitation",
                     asking([](Call&) { return one("user_name", elicitation("What is your name?", name_form())); })));
    core.add(fixture("test_input_required_result_sampling", asking(capital)));
    core.add(
        fixture("test_input_required_result_list_roots", asking([](Call&) { return one("client_roots", roots()); })));
    core.add(fixture("test_input_required_result_request_state",
                     asking([](Call&) { return confirm(); }, "to be confirmed", "state-ok ")));
    core.add(fixture("test_input_required_result_tampered_state", asking([](Call&) { return confirm(); }, "sealed")));
    core.add(fixture("test_input_required_result_multiple_inputs", asking(three, "three")));
    core.add(fixture("test_input_required_result_multi_round", ask_twice));
    core.add(fixture("test_input_required_result_capabilities", asking([](Call& call) {
                         json all = json::object();
                         if (call.can("sampling")) all["sampled"] = sampling("Say something", 50);
                         if (call.can("elicitation")) all["asked"] = elicitation("What is your name?", name_form());
                         return all;
                     })));
}
}
