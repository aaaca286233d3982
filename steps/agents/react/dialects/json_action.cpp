// Keys are compared only by their letters: action_input, Action Input and actionInput are the same.
#include "steps/agents/react/dialects/json_action.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/react/dialects/grammar.hpp"
#include "steps/agents/text/json_in_text.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents::inline react_steps {
namespace {
using nlohmann::json;
using Kind = JsonAction::Kind;
using WordList = std::initializer_list<std::string_view>;

std::string letters(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (is_letter(c)) out += lower(c);
    return out;
}
bool is_one_of(std::string_view word, WordList words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

enum class ActionKey { tool, name, input, thought, answer, about, other };
ActionKey key_of(const std::string& text) {
    const auto key = letters(text);
    if (is_one_of(key, {"action", "tool", "toolname", "actionname", "functionname", "funcname", "toolcall"}))
        return ActionKey::tool;
    if (is_one_of(key, {"name", "function"})) return ActionKey::name;
    if (is_one_of(key, {"actioninput", "toolinput", "arguments", "parameters", "args", "input", "params", "actionargs",
                        "toolargs", "kwargs", "actionparameters", "toolparameters", "inputs", "actionarguments"}))
        return ActionKey::input;
    if (is_one_of(key, {"thought", "thoughts", "reasoning", "thinking"})) return ActionKey::thought;
    if (is_one_of(key, {"answer", "finalanswer"})) return ActionKey::answer;
    return is_one_of(key, {"id", "type", "index", "callid", "toolcallid", "observation"}) ? ActionKey::about
                                                                                          : ActionKey::other;
}
bool wraps(const std::string& text) {
    return is_one_of(letters(text), {"toolcall", "toolcalls", "toolcalling", "functioncall", "functioncalls", "tooluse",
                                     "call", "action", "actions", "tool", "function", "command"});
}
std::string as_text(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// The parts of an action's object, without the objects and lists around it.
class ActionParts {
public:
    /// Returns false if there is no object.
    bool read(const json* value) {
        for (int depth = 0; depth < 4; ++depth) {
            if (value->is_array() && !value->empty()) value = &value->front();
            if (!value->is_object()) return false;
            const json* inner = nullptr;
            for (const auto& [key, part] : value->items()) {
                if (key_of(key) == ActionKey::thought) thought = &part;
                const bool is_list = part.is_array() && !part.empty() && part.front().is_object();
                if ((part.is_object() || is_list) && wraps(key)) inner = &part;
            }
            if (!inner) break;
            wrapped = true;
            value = inner;
        }
        for (const auto& [key, part] : value->items()) take(key, part);
        return true;
    }
    const json *tool = nullptr, *name = nullptr, *input = nullptr, *thought = nullptr, *answer = nullptr;
    json others = json::object();
    bool wrapped = false;

private:
    void take(const std::string& key, const json& part) {
        switch (key_of(key)) {
        case ActionKey::tool: tool = &part; return;
        case ActionKey::name: name = &part; return;
        case ActionKey::input: input = &part; return;
        case ActionKey::thought: thought = &part; return;
        case ActionKey::answer: answer = &part; return;
        case ActionKey::about: return;
        case ActionKey::other: others[key] = part;
        }
    }
};
void read_input(const json& input, JsonAction& out) {
    if (input.is_object()) out.arguments = input.dump();
    else if (!input.is_string() && !input.is_null()) out.bare = input.dump();
    else if (input.is_string()) {
        out.bare = input.get<std::string>();
        if (!trimmed_front(out.bare).starts_with('{')) return;
        if (auto object = lenient_object(out.bare); object.ok()) {  // encoded twice
            out.arguments = std::move(object.json);
            out.bare.clear();
        }
    }
}
std::optional<JsonAction> action_of(const json& value, const HasTool& has_tool) {
    JsonAction out;
    if (has_tool && value.is_object() && value.size() == 1 && value.front().is_object() &&
        has_tool(value.begin().key())) {  // {"add": {"a": 1}}
        out.name = value.begin().key();
        out.arguments = value.front().dump();
        return out;
    }
    ActionParts parts;
    if (!parts.read(&value)) return std::nullopt;
    if (parts.thought && parts.thought->is_string()) out.thought = parts.thought->get<std::string>();
    const auto* name = parts.tool && !(parts.name && is_one_of(as_text(*parts.tool), {"function"})) ? parts.tool
                                                                                                    : parts.name;
    const bool says_none = name && (name->is_null() || (name->is_string() && names_no_tool(name->get<std::string>())));
    if (!name || says_none) {
        if (parts.answer && parts.others.empty() && (name || parts.thought)) {
            out.kind = Kind::answer;
            out.answer = as_text(*parts.answer);
            return out;
        }
        out.kind = Kind::none;
        return says_none && name == parts.tool && parts.others.empty() ? std::optional(out) : std::nullopt;
    }
    if (!name->is_string()) return std::nullopt;
    const auto written = name->get<std::string>();
    out.name = without_namespace(written, has_tool);
    const bool exists = has_tool && has_tool(out.name);
    if (!exists && names_answer(out.name) && (parts.input || parts.answer)) {
        out.kind = Kind::answer;
        out.answer = parts.input ? answer_in(parts.input->dump()) : as_text(*parts.answer);
        return out;
    }
    const bool is_whole = parts.input && (parts.others.empty() || parts.wrapped || name == parts.tool);
    const bool is_known = exists && (name == parts.tool || parts.input || parts.wrapped);
    if (!is_whole && !is_known && !(parts.wrapped && parts.others.empty())) return std::nullopt;
    if (has_tool && !exists) out.kind = Kind::unknown;
    if (parts.input) read_input(*parts.input, out);
    else if (!parts.others.empty()) out.arguments = parts.others.dump();
    return out;
}
/// The beginning of the line that ends at `end`; `end` itself if the line has prose.
std::size_t without_line(std::string_view text, std::size_t end) {
    constexpr std::size_t longest = 40;
    const auto from = end - std::min(end, longest + 1);                       // a line may have many objects
    const auto begin = from + text.substr(from, end - from).rfind('\n') + 1;  // npos + 1 is 0
    const bool is_empty = end - begin <= longest && is_one_of(letters(text.substr(begin, end - begin)),
                                                              {"", "json", "action", "toolcall", "toolcalls",
                                                               "functioncall", "jsonblob", "tool"});
    return is_empty ? begin : end;
}
/// The beginning of an object, including fences and tags before it.
std::size_t outer_begin(std::string_view text, std::size_t begin) {
    auto line = without_line(text, begin);
    if (line == begin && begin && text[begin - 1] != '\n') return begin;
    for (int lines = 0; line && lines < 3; ++lines) {
        const auto before = without_line(text, line - 1);
        if (before == line - 1 && !(before && text[before - 1] == '\n')) break;
        line = before;
    }
    return line;
}
bool ends_text(std::string_view text, std::size_t end) {
    auto rest = trimmed_front(text.substr(std::min(end, text.size())), " \t\r\n`]}");
    if (rest.starts_with("</") && rest.substr(0, 24).find('>') != rest.npos)
        rest = trimmed_front(rest.substr(rest.find('>') + 1), " \t\r\n`");
    return rest.empty();
}
/// True if an unreadable object looks like an action.
bool seems_action(std::string_view text) {
    const auto head = text.substr(0, 512);
    const auto has = [&head](std::string_view word) { return head.find(word) != head.npos; };
    return has("action_input") || has("tool_call") || has("tool_input") || has("\"action\"") || has("'action'") ||
           (has("\"name\"") && (has("\"arguments\"") || has("\"parameters\"")));
}
bool begins_with_word(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || !is_letter(text[word.size()]));
}
}

std::optional<JsonAction> read_json_action(const std::string& text, const HasTool& has_tool) {
    const auto value = json::parse(text, nullptr, false);
    return value.is_discarded() ? std::nullopt : action_of(value, has_tool);
}
std::optional<JsonAction> find_json_action(std::string_view text, const HasTool& has_tool) {
    std::optional<JsonAction> broken;
    ObjectFinder finder(text);
    while (finder.examined() <= 2 * text.size()) {
        const auto found = finder.next();
        if (!found) break;
        const auto line = without_line(text, found->begin);
        const bool in_place = line < found->begin || !line || text[line - 1] == '\n';
        if (!in_place && !(found->ok() && ends_text(text, found->end))) continue;
        auto action = found->ok() ? read_json_action(found->json, has_tool) : std::nullopt;
        if (!found->ok() && !broken && seems_action(text.substr(found->begin)))
            action = JsonAction{.kind = Kind::broken, .error = found->error};
        if (!action) continue;
        action->begin = outer_begin(text, found->begin);
        action->has_rest = !ends_text(text, found->end);
        if (action->kind != Kind::broken) {
            action->examined = finder.examined();
            return action;
        }
        broken = std::move(action);
    }
    if (broken) broken->examined = finder.examined();
    return broken;
}

bool names_no_tool(std::string_view name) {
    constexpr std::string_view around = " \t\r\n`'\"*_.()[]<>{}-\xE2\x80\x93\x94";
    constexpr std::string_view first_bytes = "nud\xE6\xE4";  // first bytes of all words below
    const auto plain = lower(trimmed(name.substr(0, 200), around));
    if (plain.empty()) return !name.empty();
    if (first_bytes.find(plain.front()) == first_bytes.npos) return false;
    for (const auto* word : {"none", "null", "nil", "nothing", "n/a", "na", "n.a", "undefined"})
        if (begins_with_word(plain, word) &&
            (plain.size() == std::string_view(word).size() ||
             std::string_view("_-0123456789").find(plain[std::string_view(word).size()]) == std::string_view::npos))
            return true;
    for (const auto* word :
         {"\xE6\x97\xA0", "\xE4\xB8\x8D\xE9\x9C\x80\xE8\xA6\x81"})  // none and not needed, in Chinese
        if (plain.starts_with(word)) return true;
    std::string spaced = plain;
    std::replace_if(
        spaced.begin(), spaced.end(), [](char c) { return !is_letter(c); }, ' ');
    for (const auto* words :
         {"no action",  "no tool",      "no tools",      "no further",     "no more",    "no function",
          "no need",    "no external",  "no additional", "no call",        "no actions", "no specific",
          "not needed", "not required", "not necessary", "not applicable", "no input",   "noaction",
          "notool",     "do not need",  "does not need", "don t need",     "no direct"})
        if (begins_with_word(spaced, words)) return true;
    return false;
}
bool names_answer(std::string_view name) {
    return is_one_of(letters(name), {"finalanswer", "answer", "finish", "respond", "response", "finalresponse"});
}
std::string answer_in(const std::string& text) {
    const auto value = json::parse(text, nullptr, false);
    if (value.is_discarded()) return text;
    const bool is_named = value.is_object() && value.size() == 1 && !value.front().is_structured();
    return as_text(is_named ? value.front() : value);
}
std::string_view without_namespace(std::string_view name, const HasTool& has_tool) {
    if (has_tool && has_tool(name)) return name;
    for (const std::string_view space : {"functions.", "function.", "tools.", "tool.", "default_api."})
        if (name.starts_with(space) && name.size() > space.size()) return name.substr(space.size());
    return name;
}
}
