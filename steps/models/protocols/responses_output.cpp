// Index or id identifies an item; some servers send only one of them, or neither. An item may end without an event.
#include "steps/models/protocols/responses_output.hpp"
#include "steps/models/protocols/parts/turns.hpp"
#include "steps/models/protocols/responses.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include <algorithm>

namespace weft::models {
namespace {
using wire::json;
using wire::member;
constexpr std::size_t most_items = 512;

bool is_call(const json& item) { return member(item, "type") == "function_call"; }
void check_items(std::size_t items) {
    if (items > most_items) throw broken("sent more than " + std::to_string(most_items) + " items in one reply");
}
/// True if text and calls hold all content of this item.
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
        const bool same_id = !id.empty() && item.id == id;
        if (index < 0 || item.index < 0) return same_id;
        return item.index == index && (!begins || same_id || id.empty() || item.id.empty());
    };
    if (items_.empty() || !is_it(items_[last_])) {
        const auto found = std::find_if(items_.rbegin(), items_.rend(), is_it);
        const bool goes_on = index < 0 && id.empty() && !begins && !items_.empty();
        if (found != items_.rend()) last_ = std::size_t(items_.rend() - found) - 1;
        else if (!goes_on) {
            check_items(items_.size() + 1);
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
    auto& arguments = at(index, id).arguments;
    arguments += piece;
    CallAssembler::check_arguments(arguments.size());
}
void ResponseOutput::set_arguments(std::int64_t index, std::string_view id, std::string arguments) {
    auto& known = at(index, id).arguments;
    const bool says_nothing = arguments.empty() || (CallAssembler::is_placeholder(arguments) && !known.empty());
    if (!says_nothing) known = std::move(arguments);
}
void ResponseOutput::end(std::int64_t index, const json& value) {
    const bool begun = std::any_of(items_.begin(), items_.end(),
                                   [&](const Item& one) { return one.index == index && !one.ended; });
    auto& item = at(index, id_of(value), !begun);
    item.item = value;
    item.ended = true;
}
/// Fills empty parts of an item from its pieces.
void ResponseOutput::fill(json& value, const Item& item) {
    if (const auto given = turns::arguments_text(member(value, "arguments"));
        is_call(value) && (given.empty() || CallAssembler::is_placeholder(given)))
        value["arguments"] = given + item.arguments;
    if (member(value, "type") == "message" && text_of(value).empty() && !item.text.empty())
        value["content"] = json::array(
            {{{"type", "output_text"}, {"text", item.text}, {"annotations", json::array()}}});
}
json ResponseOutput::settled(Item& item, const json& whole) const {
    json value = std::move(item.item);
    if (!item.ended && whole.is_array())  // the item may have ended without an event
        for (const auto& one : whole)
            if (!item.id.empty() && id_of(one) == item.id) value = one;
    if (value.is_null() && !item.text.empty()) value = {{"type", "message"}, {"role", "assistant"}};
    if (!value.is_object()) return nullptr;
    fill(value, item);
    return value;
}

void ResponseOutput::finish(const json& whole, bool cut, ChatReply& reply) {
    check_items(whole.size());
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
        if (whole.is_array())  // calls without an event
            for (const auto& item : whole)
                if (is_call(item) && !known(item)) output.push_back(item);
    } else {
        output = whole;
        for (std::int64_t place = 0; auto& one : output) {
            const auto is_it = [&](const Item& item) {
                return item.index == place || (!item.id.empty() && item.id == id_of(one));
            };
            if (const auto item = std::find_if(items_.begin(), items_.end(), is_it); item != items_.end())
                fill(one, *item);
            ++place;
        }
    }

    for (const auto& item : output) {
        if (!is_call(item)) continue;
        const auto id = wire::id_or_empty(member(item, "call_id")), name = wire::text_or_empty(member(item, "name")),
                   arguments = turns::arguments_text(member(item, "arguments"));
        calls_.take({.id = id, .name = name, .arguments = arguments, .whole = true});
    }
    const auto numbers = calls_.finish(cut, reply.calls);
    json kept = json::array();
    bool says_more = false;
    for (std::size_t number = 0; auto& item : output) {
        if (!item.is_object()) continue;
        says_more = says_more || !is_plain(item);
        if (!is_call(item)) kept.push_back(std::move(item));
        else {
            for (std::size_t i = 0; i < numbers.size(); ++i)
                if (numbers[i] == number) {
                    item["call_id"] = reply.calls[i].id;
                    item["arguments"] = reply.calls[i].arguments;
                    kept.push_back(item);
                }
            ++number;
        }
    }
    if (says_more) reply.native = turns::make_native(openai_responses.name, kept);
}
}
