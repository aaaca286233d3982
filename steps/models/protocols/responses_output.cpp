// Items are known by index or by id; some servers give only one of them, or neither. An item may end without an event.
#include "steps/models/protocols/responses_output.hpp"
#include "steps/models/protocols/fault.hpp"
#include "steps/models/protocols/reply_calls.hpp"
#include "steps/models/protocols/responses.hpp"
#include "steps/models/protocols/turns.hpp"
#include <algorithm>

namespace weft::models {
namespace {
using wire::json;
using wire::member;
constexpr std::size_t most_items = 512;

bool is_call(const json& item) { return member(item, "type") == "function_call"; }
void check_number(std::size_t items) {
    if (items > most_items) throw broken("sent more than " + std::to_string(most_items) + " items in one reply");
}
/// Whether text and calls say all that this item says.
bool is_plain(const json& item) {
    if (!is_call(item) && member(item, "type") != "message") return false;
    for (const auto& [name, value] : item.items()) {
        bool known = value.is_null();
        for (const char* one : {"id", "type", "status", "role", "content", "call_id", "name", "arguments"})
            known = known || name == one;
        if (!known) return false;
    }
    return true;
}
std::string arguments_of(const json& item) {
    const auto& value = member(item, "arguments");
    if (value.is_string() || value.is_null()) return wire::text_or_empty(value);
    return turns::dump(value);
}
}

std::string ResponseOutput::id_of(const json& item) {
    auto id = wire::text_or_empty(member(item, "id"));
    return id.empty() ? wire::text_or_empty(member(item, "call_id")) : id;
}
std::string ResponseOutput::text_of(const json& item, const char* type) {
    const auto& content = member(item, "content");
    if (member(item, "type") != "message" || !content.is_array()) return {};
    const bool refusal = std::string_view(type) == "refusal";
    std::string text;
    for (const auto& part : content)
        if (member(part, "type") == type) text += wire::text_or_empty(member(part, refusal ? "refusal" : "text"));
    return text;
}
ResponseOutput::Item& ResponseOutput::at(std::int64_t index, std::string_view id, bool begins) {
    const auto is_it = [&](const Item& item) {
        return index >= 0 && item.index >= 0 ? item.index == index : !id.empty() && item.id == id;
    };
    if (items_.empty() || !is_it(items_[last_])) {
        const auto found = std::find_if(items_.begin(), items_.end(), is_it);
        const bool goes_on = index < 0 && id.empty() && !begins && !items_.empty();
        if (found != items_.end()) last_ = std::size_t(found - items_.begin());
        else if (!goes_on) {
            check_number(items_.size() + 1);
            items_.emplace_back();
            last_ = items_.size() - 1;
        }
    }
    auto& item = items_[last_];
    if (index >= 0) item.index = index;
    if (item.id.empty()) item.id = id;
    return item;
}
void ResponseOutput::begin(std::int64_t index, const json& value) {
    auto& item = at(index, id_of(value), true);
    if (!item.ended) item.item = value;
}
void ResponseOutput::add_text(std::int64_t index, std::string_view id, std::string_view text) {
    at(index, id).text += text;
}
void ResponseOutput::add_arguments(std::int64_t index, std::string_view id, std::string_view piece) {
    arguments_ += piece.size();
    reply_calls::check_arguments(arguments_);
    at(index, id).arguments += piece;
}
void ResponseOutput::set_arguments(std::int64_t index, std::string_view id, std::string arguments) {
    if (!arguments.empty()) at(index, id).arguments = std::move(arguments);
}
void ResponseOutput::end(std::int64_t index, const json& value) {
    auto& item = at(index, id_of(value));
    const auto call_id = wire::text_or_empty(member(item.item, "call_id"));
    const auto now = wire::text_or_empty(member(value, "call_id"));
    if (!call_id.empty() && !now.empty() && call_id != now) throw broken("gave one of its calls two ids");
    item.item = value;
    item.ended = true;
}
json ResponseOutput::settled(Item& item, const json& whole) const {
    json value = std::move(item.item);
    if (!item.ended && whole.is_array())  // it may have been ended without an event
        for (const auto& one : whole)
            if (!item.id.empty() && id_of(one) == item.id) return one;
    if (value.is_null() && !item.text.empty()) value = {{"type", "message"}, {"role", "assistant"}};
    if (!value.is_object()) return nullptr;
    if (is_call(value) && arguments_of(value).empty()) value["arguments"] = std::move(item.arguments);
    if (member(value, "type") == "message" && text_of(value).empty() && !item.text.empty())
        value["content"] = json::array(
            {{{"type", "output_text"}, {"text", std::move(item.text)}, {"annotations", json::array()}}});
    return value;
}

void ResponseOutput::finish(const json& whole, bool cut, ChatReply& reply) {
    check_number(whole.size());
    if (std::all_of(items_.begin(), items_.end(), [](const Item& item) { return item.index >= 0; }))
        std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.index < b.index; });
    json output = json::array();
    if (std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.item.is_object(); }) ||
        !whole.is_array() || whole.empty()) {
        for (auto& item : items_)
            if (auto value = settled(item, whole); value.is_object()) output.push_back(std::move(value));
        const auto known = [&](const json& item) {
            return std::any_of(items_.begin(), items_.end(), [&](const Item& one) {
                return (!one.id.empty() && one.id == id_of(item)) ||
                       (one.item.is_object() && member(one.item, "call_id") == member(item, "call_id"));
            });
        };
        if (whole.is_array())  // what no event has told
            for (const auto& item : whole)
                if (is_call(item) && !known(item)) output.push_back(item);
    } else {
        output = whole;
    }

    std::vector<ToolCall> calls;
    json kept = json::array();
    bool says_more = false;
    for (auto& item : output) {
        if (!item.is_object()) continue;
        if (is_call(item)) {
            ToolCall call{wire::text_or_empty(member(item, "call_id")), wire::text_or_empty(member(item, "name")),
                          arguments_of(item)};
            if (call.name.empty()) {
                if (cut) continue;
                throw broken("asked for a call without the name of a tool");
            }
            if (reply_calls::is_repeated(calls, call)) continue;
            calls.push_back(std::move(call));
        }
        says_more = says_more || !is_plain(item);
        kept.push_back(std::move(item));
    }
    reply_calls::assign_ids_and_drop_repeats(calls, calls_before_);
    reply.calls = std::move(calls);
    if (!says_more) return;
    auto call = reply.calls.begin();
    for (auto& item : kept)
        if (is_call(item)) {
            item["call_id"] = call->id;
            item["arguments"] = (call++)->arguments;
        }
    reply.native = turns::make_native(openai_responses.name, kept);
}
}
