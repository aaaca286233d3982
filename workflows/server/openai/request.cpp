// Both kinds of requests become a list of turns, from which one function makes the OpenaiRequest.
#include "workflows/server/openai/request.hpp"
#include "engine/event_json.hpp"
#include "engine/json/parse.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/server/openai/options.hpp"

namespace weft::server {
using nlohmann::json;

namespace {
constexpr std::size_t longest_model = 256;

/// The messages of a request in their order, with limits.
class OpenaiTurns {
public:
    void add(const std::string& role, std::string text, std::string field) {
        bytes_ += text.size();
        if (bytes_ > max_openai_text)
            refuse_field(field, "the messages together are longer than " + std::to_string(max_openai_text) +
                                    " bytes: send less of the history");
        if (role == "system" || role == "developer") {
            if (!text.empty()) (instructions_ += instructions_.empty() ? "" : "\n\n") += text;
            return;
        }
        field_ = std::move(field);
        turns_.push_back({role, std::move(text)});
    }
    /// Adds a message about calls of the caller's tools, without its content. It matters only as the last message.
    void skip(std::string field) { add("tool", "", std::move(field)); }
    /// Fills in the request, and returns the field of the question.
    std::string give(OpenaiRequest& request, const std::string& field) {
        if (turns_.empty() && !instructions_.empty()) {  // chat programs request the title of a chat this way
            turns_.push_back({"user", std::exchange(instructions_, {})});
            field_ = field;
        }
        if (turns_.empty())
            refuse_field(field, "it has no message of the user: add one with the input of the workflow");
        auto& last = turns_.back();
        if (last.role != "user") refuse_field(field_, "the last message has to be the user's");
        if (last.text.size() > max_openai_question)
            refuse_field(field_, "it is longer than " + std::to_string(max_openai_question) +
                                     " bytes: send a shorter question");
        request.question = std::move(last.text);
        turns_.pop_back();
        for (auto& turn : turns_)
            if (turn.role != "tool" && !turn.text.empty()) request.earlier.push_back(std::move(turn));
        if (!request.instructions.empty() && !instructions_.empty()) request.instructions += "\n\n";
        request.instructions += instructions_;
        return field_;
    }

private:
    std::vector<OpenaiMessage> turns_;
    std::string instructions_, field_;  // field of the last turn
    std::size_t bytes_ = 0;
};

/// Replaces a part of an earlier message that is not text; empty for an unknown type.
std::string_view placeholder(std::string_view type) {
    constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"image", "[picture]"}, {"audio", "[sound]"}, {"video", "[video]"}, {"file", "[file]"}, {"document", "[file]"}};
    for (const auto& [kind, text] : kinds)
        if (type.find(kind) != type.npos) return text;
    return {};
}
/// The text of a part of a message. Only the answered message has to be text as a whole, so that a chat with an earlier
/// picture can continue.
std::string text_of_part(const json& part, const std::string& field, bool is_answered) {
    const OpenaiFields fields(part, field);
    const auto type = fields.text("type", 64);
    const bool refusal = type == "refusal";
    if (const auto instead = placeholder(type); !instead.empty() && !is_answered) return std::string(instead);
    if (!refusal && type != "text" && type != "input_text" && type != "output_text")
        refuse_field(fields.path("type"),
                     "this server reads only parts of type \"text\": send no pictures, sound or files");
    const auto* key = refusal ? "refusal" : "text";
    if (!fields.find(key)) refuse_field(fields.path(key), "it is missing");
    return fields.text(key, max_openai_text);
}
/// The content of a message: a text, or parts joined as lines; empty if missing. Adjacent parts of one kind share one
/// placeholder.
std::string content_of(const OpenaiFields& message, bool is_answered) {
    const auto* content = message.find("content");
    if (!content) return {};
    if (!content->is_array()) return message.text("content", max_openai_text);
    const auto field = message.path("content");
    if (content->size() > max_openai_parts)
        refuse_field(field, "it has more than " + std::to_string(max_openai_parts) + " parts");
    std::string text, last_type;
    for (std::size_t i = 0; i < content->size(); ++i) {
        const auto& part = (*content)[i];
        const auto of_part = text_of_part(part, field + '[' + std::to_string(i) + ']', is_answered);
        auto type = part.value("type", "");
        if (std::exchange(last_type, type) == type && !placeholder(type).empty()) continue;
        if (i > 0) text += '\n';
        text += of_part;
        if (text.size() > max_openai_text) refuse_field(field, "it is too long: send less");
    }
    return text;
}
void add_message(OpenaiTurns& turns, const OpenaiFields& message, const std::string& field, bool in_chat,
                 bool is_answered) {
    const auto role = message.text("role", 64);
    const bool asks = role == "user" || role == "system" || role == "developer";
    const bool is_tool = in_chat && (role == "tool" || role == "function");
    if (!asks && !is_tool && role != "assistant")
        refuse_field(message.path("role"), std::string("expected system, developer, user") +
                                               (in_chat ? ", assistant or tool" : " or assistant"));
    if (asks && !message.find("content")) refuse_field(message.path("content"), "it is missing");
    auto text = content_of(message, is_answered);
    if (is_tool) return turns.skip(field);
    turns.add(role, std::move(text), field);
}
/// Index of the user's last message, which the run answers; the size of the list without such a message.
std::size_t answered_message(const json& list) {
    const auto is_users = [](const json& message) {
        return message.is_object() && message.value("role", json()) == "user";
    };
    for (auto i = list.size(); i-- > 0;)
        if (is_users(list[i])) return i;
    return list.size();
}
void check_count(const json& list, const std::string& field) {
    if (list.size() > max_openai_messages)
        refuse_field(field,
                     "it has more than " + std::to_string(max_openai_messages) + " messages: send less of the history");
}
OpenaiTurns chat_turns(const OpenaiFields& body) {
    const auto* messages = body.find("messages");
    if (!messages) refuse_field("messages", "it is missing: send a list of messages that ends with the user's");
    body.expect_list("messages");
    check_count(*messages, "messages");
    OpenaiTurns turns;
    const auto answered = answered_message(*messages);
    for (std::size_t i = 0; i < messages->size(); ++i) {
        const auto field = "messages[" + std::to_string(i) + ']';
        add_message(turns, OpenaiFields((*messages)[i], field), field, true, i == answered);
    }
    return turns;
}
/// Skips an item of the input that is not a message; refuses items that the answer would depend on.
void skip_item(OpenaiTurns& turns, const std::string& type, const std::string& field) {
    if (type == "item_reference") refuse_field(field, "this server keeps no items: send the item itself");
    const bool about_tools = type.ends_with("_call") || type.ends_with("_call_output");
    if (!about_tools && type != "reasoning")
        refuse_field(field, "this server reads only messages: set its type to \"message\"");
    if (about_tools) turns.skip(field);
}
OpenaiTurns input_turns(const OpenaiFields& body) {
    const auto* input = body.find("input");
    if (!input) refuse_field("input", "it is missing: send a text, or a list of messages that ends with the user's");
    OpenaiTurns turns;
    if (input->is_string()) {
        turns.add("user", body.text("input", max_openai_text), "input");
        return turns;
    }
    if (!input->is_array()) refuse_field("input", "expected a text or a list, got " + kind_of(*input));
    check_count(*input, "input");
    const auto answered = answered_message(*input);
    for (std::size_t i = 0; i < input->size(); ++i) {
        const auto field = "input[" + std::to_string(i) + ']';
        const OpenaiFields item((*input)[i], field);
        const auto type = item.text("type", 64);
        if (type.empty() || type == "message") add_message(turns, item, field, false, i == answered);
        else skip_item(turns, type, field);
    }
    return turns;
}
json start_json_of(const OpenaiRequest& request, const std::string& field) {
    const auto& model = *request.model;
    json input;
    try {
        if (model.input_field.empty())
            input = parse_json(request.question, {.bytes = max_openai_question, .depth = 64});
        else input[model.input_field] = request.question;
    } catch (const Error& error) {
        refuse_field(field,
                     "the workflow " + model.id + " needs its input as a JSON object in the message: " + error.what());
    }
    try {
        catalog::check_input(start_event(*model.outline), input, "it");
        (void)read_event(start_event(*model.outline), input, "input");
    } catch (const Error& error) {
        refuse_field(field, "the message is not a valid input of the workflow " + model.id + ": " + error.what());
    }
    return input;
}
const OpenaiModel& model_of(const OpenaiFields& body, const std::vector<OpenaiModel>& models) {
    if (!body.find("model")) refuse_field("model", "it is missing: name a workflow");
    return find_model(models, body.text("model", longest_model));
}
}

OpenaiRequest parse_chat_request(const json& body, const std::vector<OpenaiModel>& models) {
    const OpenaiFields fields(body, "");
    OpenaiRequest request;
    request.model = &model_of(fields, models);
    auto turns = chat_turns(fields);
    const auto asked_in = turns.give(request, "messages");
    check_chat_options(fields);
    request.stream = fields.boolean("stream");
    if (const auto* options = fields.find("stream_options"))
        request.include_usage = OpenaiFields(*options, "stream_options").boolean("include_usage");
    request.conversation = conversation_of(fields);
    request.input = start_json_of(request, asked_in);
    return request;
}
OpenaiRequest parse_responses_request(const json& body, const std::vector<OpenaiModel>& models) {
    const OpenaiFields fields(body, "");
    OpenaiRequest request;
    request.model = &model_of(fields, models);
    request.instructions = fields.text("instructions", max_openai_text);
    auto turns = input_turns(fields);
    const auto asked_in = turns.give(request, "input");
    check_responses_options(fields);
    request.stream = fields.boolean("stream");
    request.conversation = conversation_of(fields);
    if (const auto* named = fields.find("conversation")) {
        const bool is_object = named->is_object();
        const auto id = is_object ? OpenaiFields(*named, "conversation").text("id", 4096)
                                  : fields.text("conversation", 4096);
        request.conversation = checked_conversation(id, is_object ? "conversation.id" : "conversation");
    }
    request.input = start_json_of(request, asked_in);
    return request;
}
}
