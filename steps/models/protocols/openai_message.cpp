// Servers disagree on index, id and name of the pieces of a call; the header lists what the pieces mean here. Members
// that nobody here knows are put together too, for they have to go back to their server.
#include "steps/models/protocols/openai_message.hpp"
#include "steps/models/protocols/fault.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/reply_calls.hpp"
#include "steps/models/protocols/turns.hpp"
#include <algorithm>

namespace weft::models {
namespace {
using wire::json;
using wire::member;

template <class... Names> bool is_one_of(std::string_view name, Names... names) { return ((name == names) || ...); }
bool is_nothing(const json& value) {
    if (value.is_string()) return value.get_ref<const std::string&>().empty();
    return value.is_null() || ((value.is_array() || value.is_object()) && value.empty());
}
bool grows(std::string_view name) {
    return name.find("reason") != name.npos || name.find("think") != name.npos || name.find("thought") != name.npos ||
           is_one_of(name, "text", "summary", "data");
}
void merge(json& object, const std::string& name, const json& value);
/// An element of a list: it goes on with the last one if both say that they are the same.
void append(json& list, const json& element) {
    const auto& index = member(element, "index");
    if (!list.empty() && index.is_number_integer() && member(list.back(), "index") == index &&
        member(list.back(), "type") == member(element, "type")) {
        for (const auto& [name, value] : element.items())
            if (name == "type") list.back()[name] = value;
            else merge(list.back(), name, value);
        return;
    }
    list.push_back(element);
}
void merge(json& object, const std::string& name, const json& value) {
    if (is_nothing(value)) return;
    auto& known = object[name];
    if (known.is_string() && value.is_string() && grows(name))
        known.get_ref<std::string&>() += value.get_ref<const std::string&>();
    else if (known.is_array() && value.is_array())
        for (const auto& element : value) append(known, element);
    else known = value;
}
bool is_complete_object(const std::string& text) {
    return text.size() >= 2 && text.front() == '{' && text.back() == '}' && json::accept(text);
}
}

void MessageParts::take(const json& message, bool whole) {
    if (!message.is_object()) return;
    for (const auto& [name, value] : message.items()) {
        if (is_one_of(name, "role", "content", "refusal")) continue;
        if (name == "tool_calls") {
            if (value.is_array())
                for (const auto& piece : value) take_call(piece, whole);
        } else if (name == "function_call") {
            if (value.is_object()) take_function(legacy_, value);
        } else if (whole) {
            if (!is_nothing(value)) extra_[name] = value;
        } else merge(extra_, name, value);
    }
}
MessageParts::Call& MessageParts::at(std::int64_t index) {
    last_ = index;
    auto& call = calls_[index];
    reply_calls::check_number(calls_.size());
    return call;
}
MessageParts::Call& MessageParts::find(const json& piece, bool whole) {
    const auto next = [this] { return calls_.empty() ? 0 : calls_.rbegin()->first + 1; };
    if (whole) return at(next());
    if (const auto& index = member(piece, "index"); index.is_number_integer())
        if (const auto number = index.get<std::int64_t>(); number >= 0 && number < (1 << 30)) return at(number);
    if (const auto id = wire::text_or_empty(member(piece, "id")); !id.empty()) {
        for (const auto& [index, call] : calls_)
            if (call.call.id == id) return at(index);
        return at(next());
    }
    const bool begins = !wire::text_or_empty(member(member(piece, "function"), "name")).empty();
    return at(begins || calls_.empty() ? next() : last_);
}
void MessageParts::take_call(const json& piece, bool whole) {
    if (!piece.is_object()) return;
    auto& call = find(piece, whole);
    if (const auto id = wire::text_or_empty(member(piece, "id")); !id.empty()) {
        if (!call.call.id.empty() && call.call.id != id) throw broken("gave one of its calls two ids");
        call.call.id = id;
    }
    for (const auto& [name, value] : piece.items())
        if (!is_one_of(name, "index", "id", "type", "function")) merge(call.extra, name, value);
    take_function(call, member(piece, "function"));
}
void MessageParts::take_function(Call& call, const json& function) {
    call.seen = true;
    if (!function.is_object()) return;
    auto& [id, name, arguments] = call.call;
    if (const auto piece = wire::text_or_empty(member(function, "name")); !piece.empty() && piece != name) {
        if (!arguments.empty() && !name.empty()) throw broken("gave one of its calls two names");
        name += piece;
    }
    if (const auto& value = member(function, "arguments"); !value.is_null()) {
        const auto piece = value.is_string() ? value.get<std::string>() : turns::dump(value);
        const bool again = piece == arguments && is_complete_object(piece);
        if (!again) arguments += piece, arguments_ += piece.size();
        reply_calls::check_arguments(arguments_);
    }
    for (const auto& [key, value] : function.items())
        if (!is_one_of(key, "name", "arguments")) merge(call.function_extra, key, value);
}

void MessageParts::finish(const std::string& text, bool cut, ChatReply& reply) {
    if (calls_.empty() && legacy_.seen) calls_[0] = legacy_;
    bool says_more = !extra_.empty();
    std::vector<Call> all;
    for (auto& [index, call] : calls_) {
        if (!call.call.name.empty()) all.push_back(std::move(call));
        else if (!cut) throw broken("asked for a call without the name of a tool");
    }
    for (auto& call : all) {
        reply.calls.push_back(call.call);
        says_more = says_more || !call.extra.empty() || !call.function_extra.empty();
    }
    reply_calls::assign_ids_and_drop_repeats(reply.calls, calls_before_);
    if (!says_more) return;

    json message = std::move(extra_);
    message["role"] = "assistant";
    message["content"] = text;
    if (text.empty() && !reply.calls.empty()) message["content"] = nullptr;
    std::size_t kept = 0;
    for (auto& call : all) {
        if (kept == reply.calls.size()) break;
        const auto& settled = reply.calls[kept];
        if (call.call.name != settled.name || call.call.arguments != settled.arguments ||
            (!call.call.id.empty() && call.call.id != settled.id))
            continue;  // one that came twice
        ++kept;
        json item = std::move(call.extra), function = std::move(call.function_extra);
        function["name"] = settled.name;
        function["arguments"] = settled.arguments;
        item["id"] = settled.id;
        item["type"] = "function";
        item["function"] = std::move(function);
        message["tool_calls"].push_back(std::move(item));
    }
    reply.native = turns::make_native(openai_chat.name, message);
}
}
