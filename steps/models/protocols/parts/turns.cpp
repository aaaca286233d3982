// Arguments that are not a JSON object become the member INVALID_JSON of an object: else a server refuses the
// conversation.
#include "steps/models/protocols/parts/turns.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "steps/models/protocols/parts/write_json.hpp"
#include <algorithm>

namespace weft::models::turns {
namespace {
json parse_schema(const std::string& text, const std::string& whose) {
    auto schema = wire::parse_or_discard(text);
    if (!schema.is_object()) throw Error(Code::usage, "the schema of " + whose + " is not a JSON object");
    return schema;
}
/// Adds the parts to the last turn if it has the same role.
void append(json& list, const char* role, const char* parts_name, json parts) {
    if (parts.empty()) return;
    if (list.empty() || list.back()["role"] != role) list.push_back({{"role", role}, {parts_name, json::array()}});
    for (auto& part : parts) list.back()[parts_name].push_back(std::move(part));
}
}

bool is_blank(std::string_view text) { return trimmed(text, " \t\r\n\v\f").empty(); }

bool has_only_instructions(const std::vector<Message>& messages) {
    return std::all_of(messages.begin(), messages.end(), [](const Message& m) { return m.role == Role::system; });
}
std::string system_text(const std::vector<Message>& messages) {
    std::string text;
    for (const auto& message : messages)
        if (message.role == Role::system && !is_blank(message.content))
            (text += text.empty() ? "" : "\n\n") += message.content;
    return text;
}
json write(const std::vector<Message>& messages, const char* model, const char* parts_name,
           const PartsWriter& from_model, const PartsWriter& to_model) {
    json list = json::array();
    const bool only_instructions = has_only_instructions(messages);
    for (const auto& message : messages) {
        if (message.role == Role::assistant) append(list, model, parts_name, from_model(message));
        else if (message.role != Role::system || only_instructions) append(list, "user", parts_name, to_model(message));
    }
    if (!list.empty() && list[0]["role"] == model) {
        json opening = {{"role", "user"}, {parts_name, to_model(user("(The conversation began earlier.)"))}};
        list.insert(list.begin(), std::move(opening));
    }
    return list;
}

std::string arguments_text(const json& value) {
    return value.is_string() || value.is_null() ? wire::text_or_empty(value) : dump(value);
}
json arguments_object(const std::string& arguments) {
    if (is_blank(arguments)) return json::object();
    auto value = wire::parse_or_discard(arguments);
    if (value.is_object()) return value;
    return {{"INVALID_JSON", arguments}};
}
json parameters_of(const ToolSpec& tool) {
    if (is_blank(tool.parameters)) return {{"type", "object"}, {"properties", json::object()}};
    return parse_schema(tool.parameters, "the tool " + tool.name + "'s arguments");
}
json schema_of(const ReplySchema& reply) { return parse_schema(reply.schema, "the reply"); }

json native_of(const Message& message, const char* protocol) {
    if (message.native.protocol != protocol) return nullptr;
    auto value = wire::parse_or_discard(message.native.json.text);
    return value.is_discarded() ? json() : value;
}
Native make_native(const char* protocol, const json& value) { return {protocol, {dump(value)}}; }
std::string dump(const json& value) {
    std::string text;
    write_json(text, value);
    return text;
}
}
