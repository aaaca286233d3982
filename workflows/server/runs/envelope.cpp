// An envelope is written once, for all readers. Its members have a fixed order, so that the server can cut
// `qualified_name` out of the text for a reader without it.
#include "workflows/server/runs/envelope.hpp"
#include "engine/any_event.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json/line.hpp"
#include "engine/text/quotes.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::server {
namespace {
using nlohmann::json;
constexpr std::string_view qualified = R"(,"qualified_name":")";

/// Replaces a list of types by a choice of schemas with one type each.
void split_types(json& schema) {
    if (schema.is_object()) {
        if (const auto type = schema.find("type"); type != schema.end() && type->is_array()) {
            json choices = json::array();
            for (const auto& one : *type) {
                json choice = {{"type", one}};
                if (one != "null")
                    for (const auto& [key, value] : schema.items())
                        if (key != "type" && key != "default" && key != "title") choice[key] = value;
                choices.push_back(std::move(choice));
            }
            json split = {{"anyOf", std::move(choices)}};
            for (const char* kept : {"default", "title"})
                if (schema.contains(kept)) split[kept] = schema[kept];
            schema = std::move(split);
        }
    }
    if (schema.is_structured())
        for (auto& part : schema) split_types(part);
}
/// Position after the object or list that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') at = after_quotes(text, at) - 1;
        else if (c == '{' || c == '[') ++depth;
        else if ((c == '}' || c == ']') && --depth == 0) return at + 1;
    }
    return text.size();
}
/// Old clients send only the qualified Python name of a type; its last part is the name.
std::string type_in(const json& object) {
    const auto text = [&](const char* key) {
        const auto at = object.find(key);
        return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
    };
    auto type = text("type");
    const auto qualified_name = text("qualified_name");
    return type.empty() ? qualified_name.substr(qualified_name.rfind('.') + 1) : type;
}
/// LlamaIndex's Python events have the fields that their class does not declare under `_data`.
json with_undeclared(json value) {
    const auto at = value.find("_data");
    if (at == value.end() || !at->is_object()) return value;
    const json undeclared = std::move(*at);
    value.erase(at);
    for (const auto& [name, field] : undeclared.items()) value.emplace(name, field);
    return value;
}
constexpr std::string_view members[] = {"value",    "data", "type", "types",         "qualified_name",
                                        "question", "run",  "path", "__is_pydantic", "__is_component"};
}

std::string json_string(std::string_view text) {
    // Nearly all texts are names and ids; a serializer costs four allocations.
    const bool is_plain = std::ranges::all_of(
        text, [](unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
    if (!is_plain) return json_line(json(text));
    std::string quoted;
    quoted.reserve(text.size() + 2);
    return ((quoted += '"') += text) += '"';
}
std::string envelope(std::string_view type, const char* role, std::string_view value, QuestionId question,
                     const ChildSender& sender) {
    std::string left_out;
    if (value.size() > most_envelope) {
        left_out = json_line(
            json{{"left_out", "this event has " + std::to_string(value.size()) + " bytes of JSON, more than the " +
                                  std::to_string(most_envelope) + " that a log keeps of an event"}});
        value = left_out;
    }
    std::string text;
    text.reserve(value.size() + 160);
    const auto name = json_string(type);
    ((text += R"({"value":)") += value) += qualified;
    (text += std::string_view(name).substr(1)) += R"(,"type":)";
    (text += name) += R"(,"types":)";
    if (role) ((text += "[\"") += role) += "\"]";
    else text += "null";
    if (question != QuestionId::none)
        ((text += R"(,"question":")") += std::to_string(static_cast<std::uint64_t>(question))) += '"';
    if (!sender.path.empty()) {
        (text += R"(,"run":)") += json_string(sender.run);
        (text += R"(,"path":)") += json_string(sender.path);
    }
    return text += '}';
}
std::pair<std::size_t, std::size_t> find_qualified_name(std::string_view envelope) {
    const auto begin = end_of_value(envelope, std::string_view(R"({"value":)").size());
    if (!envelope.substr(begin).starts_with(qualified)) return {envelope.size(), envelope.size()};
    return {begin, envelope.find(R"(,"type":)", begin)};
}
std::string envelope_of_ending(const AnyEvent& event, std::chrono::duration<double> elapsed) {
    auto value = to_json(event);
    if (const auto* failed = event.get_if<RunFailedEvent>())
        value = {{"step_name", failed->step},
                 {"exception", {{"exception_type", name(failed->code)}, {"exception_message", failed->error}}},
                 {"attempts", failed->attempts},
                 {"elapsed_seconds", elapsed.count()}};
    return envelope("Workflow" + std::string(event.name().substr(3)), "StopEvent", json_line(value));  // Run...Event
}

SentEvent read_sent(json object, const std::string& what, bool bare) {
    const auto refuse = [&](const std::string& why) -> SentEvent { throw Error(Code::bad_json, what + ": " + why); };
    try {
        if (object.is_string() && bare && object.get_ref<const std::string&>().empty()) object = json::object();
        if (object.is_string()) object = parse_json(object.get<std::string>());
    } catch (const Error& error) { return refuse(error.what()); }
    if (!object.is_object()) return refuse("expected an object, or JSON text of one");
    SentEvent sent{.type = type_in(object), .value = json::object(), .question = {}};
    const auto data = object.contains("value") ? object.find("value") : object.find("data");
    const bool named = object.contains("type") || object.contains("qualified_name");
    const bool is_data = data != object.end() && (data->is_object() || data->is_null());
    if (bare && (!named || !is_data)) return {.type = {}, .value = with_undeclared(std::move(object)), .question = {}};
    for (const auto& [name, part] : object.items())
        if (std::ranges::find(members, name) == std::end(members))
            return refuse("it has a member \"" + excerpt(name, 60) +
                          "\", which no event has: put the event's fields into \"value\", and the id of a "
                          "question into \"question\"");
    if (const auto question = object.find("question"); question != object.end() && !question->is_null()) {
        if (!question->is_string() || question->get_ref<const std::string&>().size() > 40)
            return refuse("\"question\" has to be the id of a question, a text of at most 40 bytes");
        sent.question = question->get<std::string>();
    }
    if (sent.type.empty() && !bare) return refuse("\"type\" is missing: it is the event's name");
    if (data == object.end()) return refuse("\"value\" is missing: it has the event's fields");
    if (!is_data) return refuse("\"value\" has to be an object");
    if (data->is_object()) sent.value = with_undeclared(std::move(*data));
    return sent;
}
nlohmann::ordered_json titled_schema(const EventType& type) {
    auto form = schema(type);
    split_types(form);
    form["title"] = type.name;
    if (const auto fields = form.find("properties"); fields != form.end())
        for (auto& [name, field] : fields->items())
            if (!field.contains("title")) field["title"] = name;
    return in_declared_order(type, form);
}
}
