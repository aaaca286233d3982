// Models add the label of the next section at the end, invent a tool's result, or put an object into quotes. The
// readers undo this if the text has a single meaning.
#include "steps/agents/reflect/replies.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/reflect/sub_answers.hpp"
#include "steps/agents/text/cut_text.hpp"
#include "steps/agents/text/json_in_text.hpp"
#include "steps/agents/text/lenient_json.hpp"
#include "tools/tool.hpp"
#include <algorithm>

namespace weft::agents::inline reflect_steps {
namespace {
using nlohmann::json;
constexpr std::size_t longest_reflection = 8 << 10, longest_sub_question = 2000, longest_request = 100;
constexpr std::size_t longest_label = 100;  // bytes of an observation's label
constexpr std::size_t most_listed = 50;     // maximum sub-questions in a reply

// ----- the reflection

bool starts_with_any_case(std::string_view text, std::string_view upper) {
    return equal_ignoring_case(text.substr(0, upper.size()), upper);
}
/// The length of a label such as `**Reflection** >> ` at the start; 0 if there is none.
std::size_t label(std::string_view text, std::string_view word) {
    auto i = std::min(text.find_first_not_of("*_#` "), text.size());
    if (!starts_with_any_case(text.substr(i), word)) return 0;
    i = std::min(text.find_first_not_of("*_` ", i + word.size()), text.size());
    if (text.substr(i).starts_with(">>")) i += 2;
    else if (text.substr(i).starts_with(':')) i += 1;
    else return 0;
    return std::min(text.find_first_not_of("*_` \t", i), text.size());
}
/// True if a continuation may turn the whole text into a label.
bool may_be_label(std::string_view text, std::string_view word) {
    text = trimmed_front(text, "*_#` ");
    if (!starts_with_any_case(text, word.substr(0, text.size()))) return false;
    const auto rest = trimmed_front(text.substr(std::min(text.size(), word.size())), "*_` ");
    return rest.empty() || rest == ">";
}
/// The beginning of the first line with an observation, which the model invented, because no tool has run yet.
std::size_t invention(std::string_view text) {
    for (std::size_t line = 0; line < text.size();) {
        if (label(text.substr(line, longest_label), "OBSERVATION")) return line;
        const auto end = text.find('\n', line);
        line = end == text.npos ? text.size() : end + 1;
    }
    return text.size();
}
/// Removes the name of the next section from the end.
std::string_view without_section_word(std::string_view text) {
    auto rest = text.substr(0, text.find_last_not_of("*_`:> \t\r\n") + 1);
    for (const std::string_view word : {"FINAL ANSWER", "ACTION", "ARGUMENT", "OBSERVATION", "REFLECTION"}) {
        if (!rest.ends_with(word)) continue;
        rest.remove_suffix(word.size());
        const auto before = rest.find_last_not_of("*_`# \t\r\n");
        const bool on_its_line = rest.find_last_of('\n') != rest.npos && rest.find_last_of('\n') + 1 > before + 1;
        if (before == rest.npos) return {};
        if (!on_its_line && std::string_view(".!?:;").find(rest[before]) == std::string_view::npos) return text;
        return trimmed(rest.substr(0, before + 1));
    }
    return text;
}

// ----- objects

std::string list_of_keys(const json& object) {
    std::string keys;
    for (const auto& [key, value] : object.items()) {
        if (keys.size() > longest_request) return keys + ", ...";
        (keys += keys.empty() ? "" : ", ") += std::string(utf8_cut(key, 40));
    }
    return keys.empty() ? "none" : keys;
}
std::string missing(const char* key, const json& object) {
    return std::string("the JSON object has no \"") + key + "\"; its keys are: " + list_of_keys(object);
}
/// The string in an argument, also in another form: {"answer": "42"}, 42. Null if there is none.
json text_in(const json& argument, std::string_view key) {
    if (argument.is_object() && argument.size() == 1 && argument.begin().key() == key)
        return text_in(argument.front(), key);
    if (argument.is_number() || argument.is_boolean()) return argument.dump();
    return argument.is_string() ? argument : json();
}
std::string check_action(const json& object, ActionReply& action) {
    const auto request = object.find("request");
    if (request == object.end()) return missing("request", object);
    if (!request->is_string() || is_blank(request->get_ref<const std::string&>()))
        return "\"request\" has to be the name of a tool or of an action";
    action.request = trimmed(request->get_ref<const std::string&>());
    if (action.request.size() > longest_request) return "\"request\" is too long to be a name";
    action.argument = object.value("argument", json());
    if (action.request == final_answer) {
        action.argument = text_in(action.argument, "answer");
        if (!action.argument.is_string() || is_blank(action.argument.get_ref<const std::string&>()))
            return "final_answer needs the answer itself as its argument, as a text that is not empty";
    } else if (action.request == decomposition && !action.argument.is_null()) {
        action.argument = text_in(action.argument, "question");
        if (!action.argument.is_string()) return "decomposition needs a question as its argument, as a text";
    }
    return {};
}
}

std::string read_reflection(std::string_view reply) {
    auto text = trimmed_front(reply);
    text.remove_prefix(label(text, "REFLECTION"));
    text = trimmed(text.substr(0, invention(text)));
    for (auto shorter = without_section_word(text); shorter.size() < text.size(); shorter = without_section_word(text))
        text = shorter;
    return cut_text(text, longest_reflection);
}
std::string_view certain_reflection(std::string_view so_far) {
    if (may_be_label(so_far, "REFLECTION")) return {};
    auto text = so_far.substr(label(so_far, "REFLECTION"));
    text = text.substr(0, invention(text));
    const auto line = text.substr(text.find_last_of('\n') + 1);  // npos + 1 is 0
    if (line.size() < longest_label && may_be_label(line, "OBSERVATION")) text.remove_suffix(line.size());
    return trimmed_front(trimmed_end(text, "*_#`:> \t\r\nABCDEFGHIJKLMNOPQRSTUVWXYZ"));
}

ActionReply read_action(std::string_view reply) {
    ActionReply action;
    const auto found = find_json(reply, [&action](const json& object) {
        action = {};
        return check_action(object, action);
    });
    if (!found.ok()) action = {{}, {}, found.error};
    return action;
}
std::string bare_argument(const json& argument) {
    return argument.is_string() ? argument.get<std::string>()
                                : argument.dump(-1, ' ', false, json::error_handler_t::replace);
}

json arguments_for(const tools::Tool* tool, const json& argument) {
    if (argument.is_null()) return json::object();
    if (argument.is_object() || !tool) return argument.is_object() ? argument : json{{"argument", argument}};
    const auto& schema = tool->schema();
    const auto properties = schema.value("properties", json::object());
    if (properties.empty()) return json::object();
    if (argument.is_string()) {  // perhaps an object in quotes
        const auto& text = argument.get_ref<const std::string&>();
        if (trimmed(text).starts_with('{'))
            if (const auto read = lenient_object(text); read.ok()) {
                auto object = parse_json(read.json);
                const auto items = object.items();
                if (std::all_of(items.begin(), items.end(),
                                [&](const auto& i) { return properties.contains(i.key()); }))
                    return object;
            }
    }
    const auto required = schema.find("required");
    if (required != schema.end() && required->is_array() && !required->empty())
        return {{required->front().get<std::string>(), argument}};
    return {{properties.begin().key(), argument}};
}

SubQuestionsReply read_sub_questions(std::string_view reply) {
    SubQuestionsReply out;
    const auto check = [&out](const json& object) -> std::string {
        out.sub_questions.clear();
        const auto list = object.find("sub_questions");
        if (list == object.end()) return missing("sub_questions", object);
        if (!list->is_array() || list->empty()) return "\"sub_questions\" has to be a list of at least one text";
        if (list->size() > most_listed) return "these are too many sub-questions";
        for (const auto& one : *list) {
            if (!one.is_string() || is_blank(one.get_ref<const std::string&>()))
                return "each sub-question has to be a text that is not empty";
            std::string text(trimmed(one.get_ref<const std::string&>()));
            if (text.size() > longest_sub_question)
                return "a sub-question is longer than " + std::to_string(longest_sub_question) + " bytes";
            if (std::find(out.sub_questions.begin(), out.sub_questions.end(), text) == out.sub_questions.end())
                out.sub_questions.push_back(std::move(text));
        }
        return {};
    };
    auto found = find_json(reply, check);
    if (!found.ok()) out = {{}, std::move(found.error)};
    return out;
}

SummaryReply read_summary(std::string_view reply) {
    SummaryReply out;
    const auto check = [&out](const json& object) -> std::string {
        const auto summary = object.find("summary");
        if (summary == object.end()) return missing("summary", object);
        if (!summary->is_string() || is_blank(summary->get_ref<const std::string&>()))
            return "\"summary\" has to be a text that is not empty";
        out.summary = trimmed(summary->get_ref<const std::string&>());
        return {};
    };
    auto found = find_json(reply, check);
    if (!found.ok()) out = {{}, std::move(found.error)};
    return out;
}
}
