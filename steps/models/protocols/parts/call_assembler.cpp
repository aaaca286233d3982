// Pieces are only appended; the end undoes repeated, wrapped and merged arguments, when all of them are known.
#include "steps/models/protocols/parts/call_assembler.hpp"
#include "engine/text/text.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include "steps/models/protocols/wire/wire.hpp"
#include "steps/models/tool_name.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::models {
namespace {
using nlohmann::json;
constexpr std::size_t most_calls = 128, longest_arguments = 1 << 20;
constexpr auto none = static_cast<std::size_t>(-1);

void check_number(std::size_t calls) {
    if (calls > most_calls) throw broken("asked for more than " + std::to_string(most_calls) + " calls in one reply");
}
bool opens_object(std::string_view text) { return trimmed_front(text).starts_with('{'); }
/// Returns the length of the JSON object, string or null at the start; 0 if there is none, or no end.
std::size_t value_length(std::string_view text) {
    if (text.starts_with("null"))
        return text.size() == 4 || is_blank(text[4]) || text[4] == '{' || text[4] == '"' ? 4 : 0;
    if (!text.starts_with('{') && !text.starts_with('"')) return 0;
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\') ++i;
        else if (c == '"') in_string = !in_string;
        else if (!in_string && (c == '{' || c == '[')) ++depth;
        else if (!in_string && (c == '}' || c == ']')) --depth;
        if (!in_string && depth <= 0) return depth < 0 || i >= text.size() ? 0 : i + 1;
    }
    return 0;
}
/// Returns the text of the object inside a JSON string; the text itself if there is none.
std::string unwrapped(std::string text) {
    constexpr int most = 2;
    std::string inner = text;
    for (int i = 0; i < most && inner.starts_with('"'); ++i) {
        const auto value = wire::parse_or_discard(inner);
        if (!value.is_string()) return text;
        inner = trimmed(value.get_ref<const std::string&>());
        if (inner.starts_with('{') && wire::parse_or_discard(inner).is_object()) return inner;
    }
    return text;
}
/// Returns the arguments in the text of a call: usually one text; several from a server that merges calls.
std::vector<std::string> settle(const std::string& text, std::size_t last_object) {
    std::string_view rest = trimmed(text);
    if (rest.empty()) return {text};
    const char* const begin = rest.data();
    std::vector<std::string> values;
    std::vector<json> objects;
    while (const auto length = value_length(rest)) {
        const auto value = rest.substr(0, length);
        const auto behind = trimmed_front(rest.substr(length));
        if (rest.data() == begin && behind.empty() && value.starts_with('{')) return {text};  // the usual case
        if (!CallAssembler::is_placeholder(value)) {
            auto object = unwrapped(std::string(value));
            auto read = wire::parse_or_discard(object);
            if (!read.is_object() && !behind.empty()) break;  // not a list of values
            if (std::find(objects.begin(), objects.end(), read) == objects.end()) {
                values.push_back(std::move(object));
                objects.push_back(std::move(read));
                check_number(values.size());
            }
        }
        rest = behind;
    }
    if (rest.empty()) return values.empty() ? std::vector<std::string>{"{}"} : values;
    if (const auto last = std::string_view(text).substr(last_object);
        last_object && wire::parse_or_discard(last).is_object())
        return {std::string(last)};  // each piece repeated the whole
    return {values.empty() ? std::string(rest) : text};
}
bool has_id(const std::vector<ToolCall>& calls, const std::string& id) {
    return std::any_of(calls.begin(), calls.end(), [&](const ToolCall& call) { return call.id == id; });
}
}

CallAssembler::CallAssembler(const ChatRequest& request) : before_(call_ids::next(request.messages)) {
    for (const auto& tool : request.tools) offered_.push_back(tool.name);
}
bool CallAssembler::is_placeholder(std::string_view text) { return text == "{}" || text == "null" || text == "\"\""; }
void CallAssembler::check_arguments(std::size_t bytes) {
    if (bytes > longest_arguments) throw broken("sent more than 1 MiB of arguments for its calls");
}
bool CallAssembler::is_offered(std::string_view name) const {
    return std::find(offered_.begin(), offered_.end(), name) != offered_.end();
}
void CallAssembler::Extent::take(std::string_view text) {
    for (const char c : text) {
        if (odd || (ended && is_blank(c))) continue;
        if (escaped) escaped = false;
        else if (in_string) escaped = c == '\\', in_string = c != '"';
        else if (c == '"') in_string = true;
        else if (c == '{' || c == '[') ++depth, ended = false;
        else if (c == '}' || c == ']') ended = --depth == 0;
        if (depth <= 0 && !ended && !is_blank(c)) odd = true;
    }
}
/// True if the piece, which could continue this call, begins another one.
bool CallAssembler::begins(const AssembledCall& last, const Piece& piece) const {
    if (piece.name.empty()) return false;
    if (last.whole) return true;
    const auto& [id, name, arguments] = last.call;
    const bool unfinished = !arguments.empty() && !last.extent.ended && !last.extent.odd;
    if (!id.empty() && !piece.id.empty() && piece.id != id) return piece.name != name || !unfinished;
    if (piece.name != name)
        return !name.empty() && (!arguments.empty() || (is_offered(name) && is_offered(piece.name)));
    if (unfinished || !opens_object(piece.arguments)) return false;
    const auto text = trimmed(arguments);
    if (is_placeholder(text)) return piece.index < 0 && piece.id.empty();
    return !text.empty() && trimmed(piece.arguments) != text;
}
std::size_t CallAssembler::find(const Piece& piece) const {
    const auto fresh = calls_.size();
    if (piece.whole || calls_.empty()) return fresh;
    const auto last_where = [&](auto is_it) {
        const auto at = std::find_if(calls_.rbegin(), calls_.rend(), is_it);
        return at == calls_.rend() ? none : static_cast<std::size_t>(calls_.rend() - at) - 1;
    };
    const bool nameless = piece.name.empty();
    auto at = none;
    if (piece.index >= 0) {
        if (nameless && !piece.id.empty())
            at = last_where(
                [&](const AssembledCall& call) { return call.index == piece.index && call.call.id == piece.id; });
        if (at == none) at = last_where([&](const AssembledCall& call) { return call.index == piece.index; });
        if (at == none && !(nameless && piece.id.empty())) return fresh;
    } else if (!piece.id.empty()) {
        at = last_where([&](const AssembledCall& call) { return call.call.id == piece.id; });
        if (at == none && !nameless) return fresh;
    } else if (!nameless && calls_.back().call.name == piece.name && calls_.back().call.arguments.empty()) {
        return fresh;  // calls without arguments
    }
    if (at == none) at = fresh - 1;
    return begins(calls_[at], piece) ? fresh : at;
}
std::size_t CallAssembler::take(const Piece& piece) {
    const auto at = find(piece);
    if (at == calls_.size()) {
        check_number(at + 1);
        calls_.emplace_back().index = piece.index;
    }
    auto& call = calls_[at];
    auto& [id, name, arguments] = call.call;
    if (id.empty()) id = piece.id;
    if (piece.name != name) name += piece.name;
    arguments_ += piece.arguments.size();
    check_arguments(arguments_);
    if (!arguments.empty() && opens_object(piece.arguments)) call.last_object = arguments.size();
    arguments += piece.arguments;
    call.extent.take(piece.arguments);
    call.whole = piece.whole;
    return at;
}

std::vector<std::size_t> CallAssembler::finish(bool cut, std::vector<ToolCall>& calls) {
    std::vector<std::size_t> order(calls_.size()), numbers;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (std::all_of(calls_.begin(), calls_.end(), [](const AssembledCall& call) { return call.index >= 0; }))
        std::stable_sort(order.begin(), order.end(),
                         [this](auto a, auto b) { return calls_[a].index < calls_[b].index; });
    std::vector<ToolCall> all;
    for (const auto number : order) {
        auto& [id, name, arguments] = calls_[number].call;
        if (is_blank(name)) {
            if (cut || is_blank(arguments) || is_placeholder(trimmed(arguments))) continue;
            throw unreadable("a call has no name of a tool");
        }
        name = tool_name(name, [this](std::string_view one) { return is_offered(one); });
        for (auto& one : settle(arguments, calls_[number].last_object)) {
            ToolCall call{id, name, std::move(one)};
            if (!id.empty() && std::find(all.begin(), all.end(), call) != all.end()) continue;
            if (has_id(all, id)) call.id.clear();
            all.push_back(std::move(call));
            numbers.push_back(number);
            check_number(all.size());
        }
    }
    auto free = before_;
    for (auto& call : all) {
        if (!call.id.empty()) continue;
        auto id = call_ids::make(free++);
        while (has_id(all, id)) id = call_ids::make(free++);
        call.id = std::move(id);
    }
    calls = std::move(all);
    return numbers;
}
}
