// Servers disagree on index, id and name of the pieces of a call; call_assembler.hpp lists their meanings. Unknown
// members are assembled, too, because they must go back to their server.
#include "steps/models/protocols/openai_message.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/turns.hpp"
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
/// Appends an element to a list, or merges it into the last one if both have the same index and type.
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
}

void MessageParts::take(const json& message, bool whole) {
    if (!message.is_object()) return;
    for (const auto& [name, value] : message.items()) {
        if (is_one_of(name, "role", "content", "refusal")) continue;
        if (name == "tool_calls") {
            const auto* pieces = &value;
            json alone;
            if (value.is_object()) pieces = &(alone = json::array({value}));  // TGI
            if (!pieces->is_array()) continue;
            // Several pieces in one event without any index differ by their positions.
            const bool placed = !whole && pieces->size() > 1 &&
                                std::none_of(pieces->begin(), pieces->end(),
                                             [](const json& piece) { return piece.contains("index"); });
            std::int64_t place = 0;
            for (const auto& piece : *pieces) take_call(piece, whole, placed ? place++ : -1);
        } else if (name == "function_call") {
            if (value.is_object()) {
                const auto called = wire::text_or_empty(member(value, "name")),
                           arguments = turns::arguments_text(member(value, "arguments"));
                legacy_.take({.index = 0, .name = called, .arguments = arguments});
            }
        } else if (whole) {
            if (!is_nothing(value)) extra_[name] = value;
        } else merge(extra_, name, value);
    }
}
void MessageParts::take_call(const json& piece, bool whole, std::int64_t place) {
    if (!piece.is_object()) return;
    const auto& inner = member(piece, "function");
    const auto& function = inner.is_object() ? inner : piece;
    const auto id = wire::id_or_empty(member(piece, "id")), name = wire::text_or_empty(member(function, "name")),
               arguments = turns::arguments_text(member(function, "arguments"));
    const auto index = wire::index_or_none(member(piece, "index"));
    const auto number = calls_.take({.index = whole       ? -1
                                              : index < 0 ? place
                                                          : index,
                                     .id = id,
                                     .name = name,
                                     .arguments = arguments,
                                     .whole = whole});
    extras_.resize(std::max(extras_.size(), number + 1));
    for (const auto& [key, value] : piece.items())
        if (!is_one_of(key, "index", "id", "type", "function", "name", "arguments"))
            merge(extras_[number].call, key, value);
    if (inner.is_object())
        for (const auto& [key, value] : inner.items())
            if (!is_one_of(key, "name", "arguments")) merge(extras_[number].function, key, value);
}

void MessageParts::finish(const std::string& text, bool reasons, bool cut, ChatReply& reply) {
    auto& calls = calls_.empty() ? legacy_ : calls_;
    const auto numbers = calls.finish(cut, reply.calls);
    extras_.resize(std::max<std::size_t>(extras_.size(), 1));
    bool says_more = !extra_.empty() || (reasons && !reply.calls.empty());
    for (const auto number : numbers)
        says_more = says_more || !extras_[number].call.empty() || !extras_[number].function.empty();
    if (says_more) reply.native = keep(reply, text, numbers);
}
Native MessageParts::keep(const ChatReply& reply, const std::string& text, const std::vector<std::size_t>& numbers) {
    json message = std::move(extra_);
    message["role"] = "assistant";
    message["content"] = text;
    if (text.empty() && !reply.calls.empty()) message["content"] = nullptr;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto& [id, name, arguments] = reply.calls[i];
        json item = extras_[numbers[i]].call, function = extras_[numbers[i]].function;
        function["name"] = name;
        function["arguments"] = arguments;
        item["id"] = id;
        item["type"] = "function";
        item["function"] = std::move(function);
        message["tool_calls"].push_back(std::move(item));
    }
    return turns::make_native(openai_chat.name, message);
}
}
