// The schema of a field decides its kind, so one table describes both the writing and the reading of a form.
#include "workflows/mcp/form.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/tool_question.hpp"
#include "tools/mcp/protocol/form_order.hpp"
#include "workflows/mcp/call.hpp"
#include <algorithm>
#include <map>

namespace weft::mcp_server {
namespace {
using nlohmann::json;
constexpr std::size_t most_part = 64 << 10, most_parts = 256 << 10;
constexpr const char* choice = "answer";  // the field that chooses among events

struct FormField {
    json schema;
    bool required = false, as_json = false;
};
bool is_null(const json& schema) { return schema.is_object() && schema.value("type", json()) == "null"; }
/// Removes null from the choices of a schema.
json without_null(json schema) {
    if (const auto any = schema.find("anyOf"); any != schema.end() && any->size() == 2 && is_null(any->at(1)))
        schema = json(any->at(0));
    if (const auto type = schema.find("type");
        type != schema.end() && type->is_array() && type->size() == 2 && type->at(1) == "null")
        schema["type"] = json(type->at(0));
    return schema;
}
FormField field_of(const json& schema, bool required) {
    FormField field{without_null(schema), required, false};
    const auto type = field.schema.value("type", json());
    field.as_json = type != "string" && type != "integer" && type != "number" && type != "boolean";
    if (field.as_json) {
        field.schema = {{"type", "string"}, {"description", "as JSON"}};
        field.required = false;  // the run decides whether an empty field may be missing
    }
    if (const auto value = field.schema.find("default"); value != field.schema.end() && !value->is_primitive())
        field.schema.erase("default");
    if (field.schema.contains("default") && field.schema["default"].is_null()) field.schema.erase("default");
    return field;
}
std::map<std::string, FormField> fields_of(const EventType& type) {
    std::map<std::string, FormField> fields;
    const auto form = schema(type);
    const auto required = form.value("required", json::array());
    const auto properties = form.value("properties", json::object());  // named: items() refers to it
    for (const auto& [name, property] : properties.items())
        fields.emplace(name, field_of(property, std::ranges::find(required, json(name)) != required.end()));
    if (const auto decision = fields.find("decision"); type.name == "ToolApprovalEvent" && decision != fields.end())
        if (const auto offered = decision->second.schema.find("enum"); offered != decision->second.schema.end())
            std::erase(offered->get_ref<json::array_t&>(), json("unanswered"));  // a human cannot choose it
    return fields;
}
std::vector<std::string> declared_names(const EventType& type) {
    std::vector<std::string> names;
    const auto form = in_declared_order(type, schema(type));
    if (const auto properties = form.find("properties"); properties != form.end())
        for (const auto& [name, property] : properties->items()) names.push_back(name);
    return names;
}
/// The name of an event's field in the form. Equal fields of several events share one field of the form.
std::string key_of(const std::string& name, const EventType& type, const std::vector<const EventType*>& answers) {
    bool is_own = answers.size() > 1 && name == choice;
    for (const auto* other : answers) {
        const auto fields = fields_of(*other);
        const auto found = fields.find(name);
        if (found != fields.end() && found->second.schema != fields_of(type).at(name).schema) is_own = true;
    }
    return is_own ? std::string(type.name) + "_" + name : name;
}
json form_of(const std::vector<const EventType*>& answers) {
    json properties = json::object(), required = json::array(), names = json::array(), order = json::array();
    for (const auto* type : answers) names.push_back(std::string(type->name));
    if (answers.size() > 1) {
        properties[choice] = {{"type", "string"}, {"enum", names}, {"description", "the kind of the answer"}};
        required.push_back(choice);
        order.push_back(choice);
    }
    for (const auto* type : answers) {
        auto fields = fields_of(*type);
        for (const auto& name : declared_names(*type)) {
            auto& field = fields.at(name);
            const auto key = key_of(name, *type, answers);
            if (field.required && answers.size() == 1) required.push_back(name);
            properties.emplace(key, std::move(field.schema));
            order.push_back(key);
        }
    }
    json form = {{"type", "object"}, {"properties", std::move(properties)}, {rpc::ordering, std::move(order)}};
    if (!required.empty()) form["required"] = std::move(required);
    return form;
}
std::string cut_and_said(std::string_view text, std::size_t most) {
    const auto all = repair_utf8(text);
    std::string shown(utf8_cut(all, most));
    if (const auto rest = all.size() - shown.size())
        shown += "\n[" + std::to_string(rest) + " more bytes are not shown]";
    return shown;
}
/// Indents all lines of a part after its first, so that no line looks like another part.
std::string shown(const json& value) {
    const auto text = value.is_string() ? value.get<std::string>()
                                        : value.dump(-1, ' ', false, json::error_handler_t::replace);
    std::string indented;
    for (const char c : shown_part(text)) {
        indented += c;
        if (c == '\n') indented += "  ";
    }
    return indented;
}
bool is_nothing(const json& value) {
    return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
           (value.is_structured() && value.empty());
}
std::string text_of(std::string_view type, const json& value) {
    std::string main, rest, main_name;
    for (const char* usual : {"question", "text", "prompt", "message"})
        if (main.empty() && value.is_object() && value.contains(usual) && value[usual].is_string()) {
            main = shown(value[usual]);
            main_name = usual;
        }
    if (value.is_object())
        for (const auto& [name, part] : value.items())
            if (name != main_name && name != "id" && name != "fingerprint" && !is_nothing(part))
                rest += "\n" + name + ": " + shown(part);
    if (main.empty()) main = words_of(type);
    return cut_and_said(main + rest, most_parts);
}
/// Whether the question is a tool's. Its own form goes unchanged to the client, and the answer to the tool.
bool is_form_of_a_tool(const std::vector<const EventType*>& answers) {
    return answers.size() == 1 && answers[0]->id == core::type_id<agents::ToolAnswerEvent>;
}
json form_of_a_tool(const json& question) {
    const auto text = [&](const char* name) { return question.value(name, json("")).get<std::string>(); };
    auto message = "The tool " + text("tool") + (text("from").empty() ? " asks: " : " (" + text("from") + ") asks: ");
    message += shown(question.value("message", json()));
    auto form = question.value("form", json());
    if (!form.is_object()) form = {{"type", "object"}, {"properties", json::object()}};
    return elicitation(with_mistake(message, text("mistake")), std::move(form));
}
const EventType& chosen(const json& content, const std::vector<const EventType*>& answers) {
    if (answers.size() == 1) return *answers[0];
    const auto name = content.value(choice, json());
    for (const auto* type : answers)
        if (name == std::string(type->name)) return *type;
    throw Error(Code::bad_json, std::string("the field \"") + choice + "\" has to be one of the names that it offers");
}
}

std::string with_mistake(std::string message, std::string_view mistake) {
    if (!mistake.empty()) message += "\n(the last answer could not be taken: " + excerpt(mistake, 300) + ")";
    return message;
}
std::string shown_part(std::string_view text) { return cut_and_said(text, most_part); }
bool fits_question(std::string_view text) { return text.size() <= most_part; }
std::string words_of(std::string_view event) {
    if (event.ends_with("Event") && event.size() > 5) event.remove_suffix(5);
    std::string words;
    for (const char c : event) {
        if (is_upper(c) && !words.empty()) words += ' ';
        words += lower(c);
    }
    return words;
}
json ask_by_form(std::string_view type, const json& value, const std::vector<const EventType*>& answers,
                 std::string_view mistake) {
    if (is_form_of_a_tool(answers)) return form_of_a_tool(value);
    return elicitation(with_mistake(text_of(type, value), mistake), form_of(answers));
}
FormAnswer read_form(const json& result, const std::vector<const EventType*>& answers) {
    const auto action = result.value("action", json());
    if (is_form_of_a_tool(answers) && (action == "accept" || action == "decline" || action == "cancel")) {
        FormAnswer answer{std::string(answers[0]->name), {{"action", action}}};
        if (action == "accept") answer.data["content"] = result.value("content", json::object());
        return answer;
    }
    if (action == "decline" || action == "cancel")
        throw DeclinedForm(action == "decline" ? "the question was declined"
                                               : "the question was closed without an answer");
    if (action != "accept") throw Error(Code::bad_json, "\"action\" has to be accept, decline or cancel");
    const auto content = result.value("content", json::object());
    if (!content.is_object()) throw Error(Code::bad_json, "\"content\" has to be an object");
    const auto& type = chosen(content, answers);
    FormAnswer answer{std::string(type.name), json::object()};
    for (const auto& [name, field] : fields_of(type)) {
        const auto given = content.find(key_of(name, type, answers));
        if (given == content.end() || given->is_null()) continue;  // many clients send null for unset fields
        if (!field.as_json) answer.data[name] = *given;
        else if (!given->is_string()) answer.data[name] = *given;
        else if (!is_blank(given->get_ref<const std::string&>()))
            answer.data[name] = parse_json(given->get_ref<const std::string&>());
    }
    return answer;
}
}
