// One pass from left to right, which ends at the first text that belongs to no call.
#include "steps/agents/react/dialects/calls_reader.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "steps/agents/react/dialects/call_expression.hpp"
#include "steps/agents/react/dialects/text_marks.hpp"
#include "steps/models/tool_name.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace weft::agents::inline react_steps {
namespace {
using nlohmann::json;
using KeyNames = std::initializer_list<const char*>;
const KeyNames list_keys = {"tool_calls", "tool_uses", "function_calls", "calls"};
const KeyNames inner_keys = {"function", "function_call", "tool_call", "tool", "action"};
const KeyNames name_keys = {"name",      "tool",          "function",       "action",
                            "tool_name", "function_name", "recipient_name", "tool_call"};
const KeyNames argument_keys = {"arguments",    "parameters", "args",      "params",        "input",
                                "action_input", "tool_input", "tool_args", "tool_arguments"};
const KeyNames other_keys = {"type", "id",      "call_id", "tool_call_id", "index",
                             "role", "content", "thought", "thoughts",     "reasoning"};
const KeyNames code_keys = {"tool_code", "tool_call", "function_call"};
constexpr std::string_view call_classes[] = {"toolcall", "tool_call", "functioncall", "function_call"};
constexpr std::string_view fillers[] = {"action",    "input",  "arguments",  "args",         "parameters",
                                        "function",  "tool",   "call",       "name",         "to",
                                        "assistant", "json",   "commentary", "functools",    "recipient",
                                        "tool_code", "code",   "tool_call",  "action_input", "assistantcommentary",
                                        "calling",   "called", "with"};

bool is_one_of(std::string_view key, KeyNames keys) { return std::find(keys.begin(), keys.end(), key) != keys.end(); }
/// The first of these keys that the object has.
json::const_iterator find(const json& object, KeyNames keys) {
    auto found = object.end();
    for (auto key = keys.begin(); found == object.end() && key != keys.end(); ++key) found = object.find(*key);
    return found;
}
/// Reads a value in the type of the tool's schema.
json read_value(std::string_view text, const tools::Tool& tool, const std::string& key) {
    const auto properties = tool.schema().find("properties");
    if (properties == tool.schema().end() || !properties->contains(key) || takes_text(properties->at(key))) return text;
    const auto read = lenient_object("{\"value\":" + std::string(text) + "}");
    auto object = read.ok() ? json::parse(read.json) : json();
    return object.size() == 1 ? object["value"] : json(text);
}

/// Reads the calls at the beginning of a text.
class CallsReader {
public:
    CallsReader(std::string_view text, const tools::Registry& tools) : text_(text), tools_(tools) {}
    CallsRead read() {
        bool goes_on = true;
        while (skip_noise(), goes_on && at_ < text_.size()) goes_on = item();
        read_.is_whole = goes_on && end_call();
        read_.examined = at_ + ahead_;
        return std::move(read_);
    }
    bool means_call() const { return read_.meant; }
    /// Returns false for an object that is not a call, or an unreadable one.
    bool read_object(const json& object) {
        if (const auto list = find(object, list_keys); list != object.end() && list->is_array() && !list->empty())
            return has_only(object, list_keys) && std::all_of(list->begin(), list->end(), [this](const auto& one) {
                       return one.is_object() && read_object(one);
                   });
        if (const auto inner = find(object, inner_keys); inner != object.end() && inner->is_object())
            return has_only(object, inner_keys) && read_object(*inner);
        if (object.size() == 1 && object.front().is_object() && tools_.find(object.begin().key()))
            return read_.meant = add(object.begin().key(), object.front().dump());
        if (const auto code = find(object, code_keys);
            code != object.end() && code->is_string() && add_code(object, *code))
            return read_.meant = true;
        const auto name = name_in(object), arguments = find(object, argument_keys);
        if (name == object.end() || !name->is_string()) return false;
        const auto& called = name->get_ref<const std::string&>();
        const auto key = arguments == object.end() ? std::string() : arguments.key();
        const bool is_name = !called.empty() && std::all_of(called.begin(), called.end(), is_tool_name);
        const bool known = tools_.find(tool_name(called, tools_));
        if (!is_name && key != "action_input") return false;
        if (key.empty() && known && add_beside(object, name.key(), called)) return read_.meant = true;
        if (key.empty() ? !read_.marked : !has_only(object, name_keys, argument_keys)) return false;
        if (key.empty()) return object.size() == 1 && add(called, "{}");
        read_.meant = read_.meant || known || key == "action_input";
        read_.call_like = read_.call_like || key != "input" || object.contains("type");
        return add_arguments(called, *arguments);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool take(std::string_view what) {
        if (!text_.substr(at_).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    bool give_up(std::string why) {
        if (read_.why.empty()) read_.why = std::move(why);
        return false;
    }
    static bool has_only(const json& object, KeyNames some, KeyNames others = {}) {
        for (const auto& [key, value] : object.items())
            if (!is_one_of(key, some) && !is_one_of(key, others) && !is_one_of(key, other_keys)) return false;
        return true;
    }
    bool add(std::string_view name, std::string arguments) {
        read_.calls.push_back({"", tool_name(name, tools_), std::move(arguments)});
        told_ = false;
        return true;
    }
    /// The member that names a known tool; else the first string under a key for names.
    json::const_iterator name_in(const json& object) const {
        for (const auto* key : name_keys)
            if (const auto found = object.find(key); found != object.end() && found->is_string())
                if (tools_.find(tool_name(found->get_ref<const std::string&>(), tools_))) return found;
        return find(object, name_keys);
    }
    /// Adds {"tool_code": "add(a=1)"}.
    bool add_code(const json& object, const std::string& code) {
        if (!has_only(object, code_keys)) return false;
        const auto call = read_closed_call(code, [this](std::string_view name) {
            const auto* tool = tools_.find(name);
            return tool ? std::optional(tool->parameters()) : std::nullopt;
        });
        ahead_ += call.examined;
        const bool whole = call.ok() && call.inner.empty() && is_blank(std::string_view(code).substr(call.end));
        return whole && tools_.find(call.tool) && add(call.tool, call.arguments);
    }
    /// Adds {"name": "add", "a": 1} if the tool accepts exactly these arguments: else the object may be an answer.
    bool add_beside(const json& object, const std::string& name_key, const std::string& called) {
        const auto name = tool_name(called, tools_);
        const auto parameters = tools_.find(name)->parameters();
        auto arguments = json::object();
        for (const auto& [key, value] : object.items()) {
            const bool takes = std::find(parameters.begin(), parameters.end(), key) != parameters.end();
            if (key != name_key && takes) arguments[key] = value;
            else if (key != name_key && !is_one_of(key, other_keys)) return false;
        }
        const auto text = arguments.dump();
        ahead_ += text.size();
        return !arguments.empty() && tools_.mistake(name, text).empty() && add(name, text);
    }
    bool add_arguments(const std::string& name, const json& arguments) {
        if (arguments.is_object()) return add(name, arguments.dump());
        if (arguments.is_null()) return add(name, "{}");
        const bool is_text = arguments.is_string();
        const auto* tool = tools_.find(tool_name(name, tools_));
        const bool bare = tool && takes_one_text(*tool);
        const auto text = is_text ? arguments.get<std::string>() : arguments.dump();
        auto read = read_arguments(text, bare && is_text ? BareText::only : BareText::never, bare ? tool : nullptr);
        ahead_ += read.examined;
        return read.ok() ? add(name, std::move(read.json))
                         : give_up("its arguments are not a JSON object: " + read.error);
    }

    // ----- text between calls

    void skip_noise() {
        constexpr std::string_view flower = "\u273F";  // Qwen-Agent's ✿FUNCTION✿
        while (at_ < text_.size()) {
            const char c = peek();
            if (take(flower) || take(">>>")) tell();  // >>> is from Functionary
            else if (c == '`') skip_fence();
            else if (c == '[' && read_mark(text_.substr(at_)).size) return;
            else if (is_blank(c) || std::string_view(";,[]*").find(c) != std::string_view::npos) ++at_;
            else if (round_ && (c == '(' || c == ')')) ++at_;
            else return;
        }
    }
    void tell() { read_.marked = told_ = true; }
    /// Skips a fence and the word after it.
    void skip_fence() {
        const auto begin = at_;
        while (peek() == '`') ++at_;
        const auto word = at_;
        if (at_ - begin < 3) return;
        while (is_tool_name(peek())) ++at_;
        const auto language = text_.substr(word, at_ - word);
        if (language.starts_with("tool_") || language.starts_with("function_")) tell();
        if (tools_.find(language) || (!language.empty() && peek() != '\n' && peek() != '\r')) at_ = word;
    }

    // ----- calls

    struct UnfinishedCall {
        std::string name;
        json arguments = json::object();
        bool by_mark = false;  // a mark opened the call, so elements may follow
    };
    bool item() {
        if (peek() == '<' || peek() == '[') {
            const auto mark = read_mark(text_.substr(at_));
            return mark.size ? take_mark(mark) : false;
        }
        if (peek() == '{') return take_object();
        return is_tool_name(peek()) && take_word();
    }
    bool end_call() {
        if (!open_) return true;
        if (!open_->by_mark) return give_up("its arguments are missing");
        add(open_->name, open_->arguments.dump());
        open_.reset();
        return true;
    }
    bool take_mark(const Mark& mark) {
        const auto whole = text_.substr(at_, mark.size);
        at_ += mark.size;
        const bool own = !mark.closes && mark.value.empty() && !mark.special && tools_.find(mark.name);
        if (own || mark.tells_call()) tell();
        skips_word_ = mark.name == "call_id";
        if (mark.closes) {
            told_ = false;
            const bool names = mark.name == "name" || mark.name.ends_with("_name");
            const bool is_name = mark.name == "action" || mark.name == "tool" || mark.name == "function";
            if (open_ && (names || (is_name && !open_->by_mark))) open_->by_mark = true;
            else if (mark.tells_call() || tools_.find(mark.name)) return end_call();
            return true;
        }
        const bool parameter = mark.name == "parameter" || mark.name == "param" || mark.name == "argument";
        if (parameter && !mark.value.empty())
            return open_ ? take_value(mark.name, mark.value) : give_up("a parameter stands outside of a call");
        if (mark.name == "arg_key" && open_) {
            const auto key = take_text(mark.name);
            skip_noise();
            const auto next = read_mark(text_.substr(at_));
            if (!key || next.name != "arg_value") return give_up("a value is missing");
            at_ += next.size;
            return take_value(next.name, std::string(trimmed(*key)));
        }
        if (own || (!mark.value.empty() && mark.tells_call())) {
            if (!end_call()) return false;
            open_ = UnfinishedCall{own ? mark.name : mark.value, json::object(), true};
            round_ = !whole.ends_with('>');
            return true;
        }
        if (open_ && open_->by_mark && is_one_of(mark.name, argument_keys) && takes_bare(mark.name))
            return take_bare(mark.name);
        const bool element = open_ && open_->by_mark && !mark.special && !mark.tells_call();
        if (!element) return true;
        const auto inside = trimmed_front(text_.substr(at_));
        const bool holds_all = is_one_of(mark.name, argument_keys) &&
                               (inside.starts_with('{') || inside.starts_with('<'));
        return holds_all || take_value(mark.name, std::string(key_of(whole)));
    }
    /// True if the content of an element with this name is the tool's only argument, a string.
    bool takes_bare(const std::string& name) const {
        const auto inside = trimmed_front(text_.substr(at_));
        const auto* tool = tools_.find(open_->name);
        return !inside.starts_with('{') && !inside.starts_with('<') && tool && takes_one_text(*tool) &&
               bare_parameter(*tool, BareText::only) != name;
    }
    bool take_bare(const std::string& mark) {
        const auto text = take_text(mark);
        if (!text) return false;
        const auto name = open_->name;
        open_.reset();
        return add_arguments(name, json(trimmed(*text)));
    }
    static std::string_view key_of(std::string_view mark) { return mark.substr(1, mark.find_first_of(" />", 1) - 1); }
    /// Takes the text before the closing mark of this name, and the mark.
    std::optional<std::string_view> take_text(std::string_view name) {
        const auto begin = at_;
        for (auto end = text_.find("</", at_); end != text_.npos; end = text_.find("</", end + 2)) {
            const auto mark = read_mark(text_.substr(end));
            if (mark.name != name) continue;
            at_ = end + mark.size;
            return text_.substr(begin, end - begin);
        }
        give_up("</" + std::string(name) + "> is missing");
        return std::nullopt;
    }
    bool take_value(const std::string& mark, const std::string& key) {
        auto text = take_text(mark);
        if (!text) return false;
        if (open_->arguments.contains(key)) return give_up("the parameter " + key + " is given twice");
        if (text->starts_with('\n')) text->remove_prefix(1);
        if (text->ends_with('\n')) text->remove_suffix(1);
        const auto* tool = tools_.find(tool_name(open_->name, tools_));
        open_->arguments[key] = tool ? read_value(*text, *tool, key) : json(*text);
        ahead_ += text->size();
        return true;
    }
    bool take_object() {
        const auto read = lenient_prefix(text_.substr(at_));
        ahead_ += read.examined;
        if (!read.ok()) return give_up(read.error);
        const auto object = json::parse(read.json);
        if (open_) {
            add(open_->name, object.dump());
            open_.reset();
        } else if (!read_object(object)) return give_up("a JSON object in it is not a call of a tool");
        at_ += read.end;
        return true;
    }
    bool take_word() {
        const auto begin = at_;
        while (is_tool_name(peek())) ++at_;
        auto word = text_.substr(begin, at_ - begin);
        if (std::exchange(skips_word_, false)) return true;
        word = trimmed_end(word, ":");
        if (word.empty()) return read_.marked;
        const auto name = tool_name(word, tools_);
        if (!tools_.find(name)) {
            const auto small = lower(word);
            if (small == "print" && peek() == '(') return round_ = true;
            const auto is_class = std::find(std::begin(call_classes), std::end(call_classes), small);
            if (is_class != std::end(call_classes) && peek() == '(' && !open_) return take_class(begin);
            if (std::find(std::begin(fillers), std::end(fillers), small) != std::end(fillers)) {
                if (take("=")) tell();  // to=functions.add
                return true;
            }
        }
        if (open_) return false;
        if (peek() == '(') return take_expression(name, begin);
        if (!told_ && peek() != '{' && !tools_.find(name)) return false;  // words
        open_ = UnfinishedCall{name, json::object(), told_};
        return true;
    }
    /// Adds ToolCall(name='add', arguments={'a': 1}).
    bool take_class(std::size_t begin) {
        const auto call = read_closed_call(text_.substr(begin), [](std::string_view) { return std::nullopt; });
        ahead_ += call.examined;
        if (!call.ok() || !call.inner.empty() || !read_object(json::parse(call.arguments))) return false;
        at_ = begin + call.end;
        return true;
    }
    bool take_expression(const std::string& name, std::size_t begin) {
        const auto* tool = tools_.find(name);
        const auto inside = trimmed_front(text_.substr(at_ + 1));
        if (inside.starts_with('{')) {  // add({"a": 1})
            open_ = UnfinishedCall{name, json::object(), false};
            return round_ = true;
        }
        const auto dot = text_.substr(begin, at_ - begin).find_last_of(".:/");
        const auto from = dot == text_.npos ? begin : begin + dot + 1;
        const auto call = read_closed_call(text_.substr(from), [tool](std::string_view) {
            return tool ? std::optional(tool->parameters()) : std::nullopt;
        });
        ahead_ += call.examined;
        if (!call.ok()) return give_up(call.error);
        if (!call.inner.empty()) return give_up("an argument is a call of " + call.inner.front().tool);
        at_ = from + call.end;
        return add(name, call.arguments);
    }

    const std::string_view text_;
    const tools::Registry& tools_;
    CallsRead read_;
    std::size_t at_ = 0, ahead_ = 0;
    std::optional<UnfinishedCall> open_;  // the call whose arguments follow
    bool told_ = false;                   // a mark announced a call here
    bool round_ = false;                  // a parenthesis around arguments or calls is open
    bool skips_word_ = false;             // the next word is an id
};
}

std::string tool_name(std::string_view written, const tools::Registry& tools) {
    return models::tool_name(written, [&tools](std::string_view name) { return tools.find(name) != nullptr; });
}
CallsRead read_calls(std::string_view text, const tools::Registry& tools) { return CallsReader(text, tools).read(); }
bool is_call(const json& object, const tools::Registry& tools) {
    CallsReader reader({}, tools);
    return reader.read_object(object) && reader.means_call();
}
bool seems_call(std::string_view object, const tools::Registry& tools) {
    object = object.substr(0, 400);
    const auto quoted = [object](std::string_view word) {
        return object.find('"' + std::string(word) + '"') != object.npos;
    };
    return std::any_of(name_keys.begin(), name_keys.end(), quoted) &&
           std::any_of(argument_keys.begin(), argument_keys.end(), quoted) &&
           std::any_of(tools.all().begin(), tools.all().end(), [&](const auto& tool) { return quoted(tool->name()); });
}
}
