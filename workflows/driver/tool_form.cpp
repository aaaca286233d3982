// The prompt of a field has its title, description, choices and default, all untrusted text of the tool's server.
#include "workflows/driver/tool_form.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/view/neutralise.hpp"
#include "tools/mcp/protocol/form_order.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>

namespace weft::driver {
namespace {
using nlohmann::json;
constexpr std::size_t longest_words = 300;

std::string in_words(const json& value) {
    return in_one_line(excerpt(value.is_string() ? value.get<std::string>() : ascii(value), longest_words));
}
struct FieldChoice {
    json value;
    std::string title;  // for people; may be empty
};
/// The choices of a field: the values of `enum`, which `enumNames` may name, or the constants in `oneOf` or `anyOf`;
/// empty if the field takes any value.
std::vector<FieldChoice> choices_of(const json& field) {
    std::vector<FieldChoice> all;
    const auto names = field.value("enumNames", json::array());
    const auto name_at = [&](std::size_t at) {
        return names.is_array() && at < names.size() && names[at].is_string() ? names[at].get<std::string>() : "";
    };
    if (const auto values = field.find("enum"); values != field.end() && values->is_array())
        for (const auto& each : *values) all.push_back({each, name_at(all.size())});
    for (const char* kind : {"oneOf", "anyOf"})
        if (const auto values = field.find(kind); values != field.end() && values->is_array())
            for (const auto& each : *values)
                if (each.is_object() && each.contains("const")) all.push_back({each["const"], text_in(each, "title")});
    return all;
}
std::string shown_choice(const FieldChoice& choice) {
    const auto value = in_words(choice.value), title = in_words(choice.title);
    return title.empty() || title == value ? value : value + " (" + title + ')';
}
/// The choice with this value, or else with this title.
std::optional<json> chosen(const std::vector<FieldChoice>& choices, const std::string& word) {
    const auto is_value = [&](const FieldChoice& choice) {
        return lower(choice.value.is_string() ? choice.value.get<std::string>() : choice.value.dump()) == lower(word);
    };
    const auto is_title = [&](const FieldChoice& choice) {
        return !word.empty() && lower(choice.title) == lower(word);
    };
    auto at = std::ranges::find_if(choices, is_value);
    if (at == choices.end()) at = std::ranges::find_if(choices, is_title);
    return at == choices.end() ? std::nullopt : std::optional(at->value);
}
/// "Colour (string; may be empty)"
std::string described(const std::string& name, const json& field, bool needed) {
    const auto title = text_in(field, "title"), about = text_in(field, "description"), type = text_in(field, "type");
    auto prompt = in_words(title.empty() ? name : title);
    std::string kind = type == "boolean" ? "yes or no" : in_words(type);
    const auto items = field.value("items", json::object());
    const auto choices = choices_of(type == "array" && items.is_object() ? items : field);
    if (!choices.empty()) {
        kind = with_commas(choices, shown_choice);
        if (type == "array") kind = "some of " + kind + ", as a JSON list";
    }
    prompt += " (" + kind;
    if (!about.empty()) prompt += "; " + in_words(about);
    if (field.contains("default")) prompt += "; empty: " + in_words(field["default"]);
    else if (!needed) prompt += "; may be empty";
    return prompt + ')';
}
bool is_needed(const ToolForm& form, const std::string& name) {
    return std::ranges::find(form.required, json(name)) != form.required.end();
}
/// Converts a human's line to a value of this field; std::nullopt if it does not fit.
std::optional<json> read_field(const std::string& line, const json& field) {
    if (const auto choices = choices_of(field); !choices.empty()) return chosen(choices, line);
    auto value = read_word(line, text_in(field, "type"));
    if (const auto items = field.value("items", json()); items.is_object() && value && value->is_array())
        for (auto& each : *value)
            if (each.is_string()) each = chosen(choices_of(items), each.get<std::string>()).value_or(each);
    return value;
}
json ask_human(const ToolForm& form, const AnswerPrompt& asking) {
    const auto word = lower(trimmed(asking.next("answer it? y, n (decline): ", {})));
    if (word == "n" || word == "no") return {{"action", "decline"}};
    if (word != "y" && word != "yes") throw Error(Code::usage, "write y to answer, or n to decline");
    json content = json::object();
    for (const auto& name : form.names) {
        const auto& field = form.fields[name];
        const bool needed = is_needed(form, name);
        for (;;) {
            const std::string line(trimmed(asking.next(described(name, field, needed) + ": ", {})));
            if (line.empty() && field.contains("default")) {
                content[name] = field["default"];
                break;
            }
            if (line.empty() && !needed) break;
            if (auto value = read_field(line, field)) {
                content[name] = std::move(*value);
                break;
            }
            complain("this field does not take that value");
        }
    }
    return {{"action", "accept"}, {"content", std::move(content)}};
}
}

ToolForm form_in_question(const json& event) {
    ToolForm form;
    form.fields = json::object();
    form.required = json::array();
    if (!event.is_object()) return form;
    form.tool = text_in(event, "tool");
    form.from = text_in(event, "from");
    form.message = text_in(event, "message");
    form.mistake = text_in(event, "mistake");
    const auto schema = event.value("form", json());
    if (!schema.is_object()) return form;
    if (const auto at = schema.find("properties"); at != schema.end() && at->is_object()) form.fields = *at;
    form.names = tools::mcp::field_order(schema);
    std::erase_if(form.names, [&](const std::string& name) { return !form.fields[name].is_object(); });
    if (const auto at = schema.find("required"); at != schema.end() && at->is_array()) form.required = *at;
    return form;
}
std::string shown_form(const ToolForm& form) {
    const auto tool = "the tool " + in_one_line(form.tool);
    std::string text = form.from.empty() ? "? " + tool + " asks" : "? " + in_one_line(form.from) + " asks, by " + tool;
    text += ":\n  " + in_one_line(form.message);
    if (!form.mistake.empty()) text += "\n  the last answer was invalid: " + in_one_line(form.mistake);
    text += '\n';
    for (const auto& name : form.names)
        text += "  - " + described(name, form.fields[name], is_needed(form, name)) + '\n';
    return text;
}
json ask_form(const ToolForm& form, const AnswerPrompt& asking) {
    if (asking.terminal) return ask_human(form, asking);
    const auto line = asking.next("", {});
    const auto word = lower(trimmed(line));
    if (word == "n" || word == "no") return {{"action", "decline"}};
    auto data = read_json(line, "the answer to what " + form.tool + " asks (its fields as a JSON object, or n)");
    if (data.is_object() && data.contains("action") && !form.fields.contains("action")) return data;
    return {{"action", "accept"}, {"content", std::move(data)}};
}
}
