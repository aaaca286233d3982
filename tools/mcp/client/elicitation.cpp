// A form is checked before it is shown, so that the user interface can rely on its shape.
#include "tools/mcp/client/elicitation.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/utf8.hpp"
#include "tools/mcp/client/tool_info.hpp"
#include "tools/mcp/protocol/message.hpp"
#include "tools/schema/arguments.hpp"
#include <algorithm>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;
constexpr std::size_t most_fields = 50, longest_message = 4000, most_form_bytes = 64u << 10;
constexpr int most_form_attempts = 3;

bool is_choice_list(const json& schema) {
    const auto items = schema.find("items");
    return schema.value("type", json()) == "array" && items != schema.end() && items->is_object() &&
           (items->contains("enum") || items->contains("anyOf") || items->contains("oneOf"));
}
/// The alternative to null in a pair; null if this is no such pair.
const json* beside_null(const json& any) {
    const auto is_null = [](const json& each) {
        return each == "null" || (each.is_object() && each.value("type", json()) == "null");
    };
    if (!any.is_array() || any.size() != 2 || is_null(any[0]) == is_null(any[1])) return nullptr;
    return &any[is_null(any[0]) ? 1 : 0];
}
/// Generators write optional fields as {"anyOf": [{"type": "string"}, {"type": "null"}]} or {"type": ["string",
/// "null"]}; both become {"type": "string"}.
void flatten(json& schema) {
    if (!schema.is_object()) return;
    for (const char* key : {"type", "anyOf", "oneOf"}) {
        const auto any = schema.value(key, json());
        const auto* other = beside_null(any);
        if (!other) continue;
        schema.erase(key);
        schema.update(other->is_object() ? *other : json{{"type", *other}});
        if (schema.value("default", json(0)).is_null()) schema.erase("default");
        if (const auto choices = schema.find("enum"); choices != schema.end() && choices->is_array())
            choices->erase(std::remove(choices->begin(), choices->end(), json()), choices->end());
    }
}
void check_field(const std::string& name, const json& schema) {
    if (bare(name) != name) throw BadForm("has hidden characters in the name of a field");
    const auto type = schema.is_object() ? schema.value("type", json()) : json();
    for (const char* plain : {"string", "number", "integer", "boolean"})
        if (type == plain) return;
    if (schema.is_object() && (schema.contains("enum") || is_choice_list(schema))) return;
    throw BadForm("has a field that is neither text, number, boolean nor a choice: " + quoted(name, 60));
}
/// A form must not contain references, which could lead the user interface to a file or an address.
void check_references(const json& value) {
    for (const char* name : reference_keys)
        if (value.is_object() && value.contains(name)) throw BadForm("has a " + std::string(name) + " in its schema");
    if (value.is_structured())
        for (const auto& inner : value) check_references(inner);
}
void clean_form(json& value) {
    if (auto* text = value.get_ptr<json::string_t*>()) *text = without_hidden(*text);
    else if (value.is_structured())
        for (auto& inner : value) clean_form(inner);
}
json answer_by(const char* action) { return {{"action", action}}; }
}

ElicitRequest read_elicit(std::string server, const json& params) {
    if (params.value("mode", json("form")) != "form") throw BadForm("is not a form, and only forms are supported");
    const auto message = params.find("message");
    if (message == params.end() || !message->is_string()) throw BadForm("has no message");
    auto form = params.value("requestedSchema", json());
    if (!form.is_object() || form.value("type", json()) != "object") throw BadForm("has no schema of an object");
    if (form.dump().size() > most_form_bytes) throw BadForm("is larger than 64 KiB");
    const auto fields = form.find("properties");
    if (fields != form.end() && is_empty_array(*fields)) *fields = json::object();  // an empty object from PHP
    if (fields != form.end() && !fields->is_object()) throw BadForm("has properties that are not objects");
    if (fields != form.end()) {
        if (fields->size() > most_fields) throw BadForm("has more than 50 fields");
        for (auto& [name, schema] : fields->get_ref<json::object_t&>()) {
            flatten(schema);
            check_field(name, schema);
        }
    }
    check_references(form);
    clean_form(form);
    auto text = without_hidden(message->get_ref<const json::string_t&>());
    text.resize(utf8_cut(text, longest_message).size());
    return {.server = std::move(server), .message = std::move(text), .form = std::move(form)};
}
json with_defaults(const json& form, json content) {
    if (!content.is_object()) content = json::object();
    if (const auto fields = form.find("properties"); fields != form.end() && fields->is_object())
        for (const auto& [name, schema] : fields->items())
            if (schema.is_object() && schema.contains("default") && !content.contains(name))
                content[name] = schema["default"];
    return content;
}
std::string form_mistake(const json& form, const json& content) {
    return Validator(checkable(form, false), "answer").mistake(content);
}
awaitable<json> ask_form(const Elicit& elicit, ElicitRequest request) {
    for (int attempt = 0; attempt < most_form_attempts; ++attempt) {
        auto result = co_await elicit(request);
        if (result.action == ElicitResult::Action::decline) co_return answer_by("decline");
        if (result.action == ElicitResult::Action::cancel) break;
        auto content = with_defaults(request.form, std::move(result.content));
        request.mistake = form_mistake(request.form, content);
        if (!request.mistake.empty()) continue;
        auto answer = answer_by("accept");
        answer["content"] = std::move(content);
        co_return answer;
    }
    co_return answer_by("cancel");
}
}
