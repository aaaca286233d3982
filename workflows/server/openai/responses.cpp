// The one item of the output is a message with one part, so all indexes are 0. Unused fields have empty values, because
// typed clients require them.
#include "workflows/server/openai/responses.hpp"
#include "engine/json/line.hpp"
#include "workflows/server/openai/json.hpp"

namespace weft::server {
namespace {
OrderedJson text_part(std::string_view text) {
    return {{"type", "output_text"},
            {"text", text},
            {"annotations", OrderedJson::array()},
            {"logprobs", OrderedJson::array()}};
}
std::string message_id(const OpenaiHead& head) { return "msg_" + head.id; }
/// The item of the message; null `text` for an open message, which has no part yet.
OrderedJson message_item(const OpenaiHead& head, const char* status, const std::string* text) {
    OrderedJson item;
    item["id"] = message_id(head);
    item["type"] = "message";
    item["role"] = "assistant";
    item["status"] = status;
    item["content"] = OrderedJson::array();
    if (text) item["content"].push_back(text_part(*text));
    return item;
}
OrderedJson response_usage(const models::Usage& usage) {
    OrderedJson json;
    json["input_tokens"] = usage.prompt_tokens;
    json["input_tokens_details"]["cached_tokens"] = usage.cached_tokens;
    json["input_tokens_details"]["cache_write_tokens"] = usage.cache_written_tokens;
    json["output_tokens"] = usage.completion_tokens;
    json["output_tokens_details"]["reasoning_tokens"] = usage.reasoning_tokens;
    json["total_tokens"] = usage.prompt_tokens + usage.completion_tokens;
    return json;
}
OrderedJson response_object(const OpenaiHead& head, const char* status) {
    OrderedJson json;
    json["id"] = "resp_" + head.id;
    json["object"] = "response";
    json["created_at"] = head.created;
    json["status"] = status;
    json["background"] = false;
    json["error"] = nullptr;
    json["incomplete_details"] = nullptr;
    json["instructions"] = nullptr;
    json["max_output_tokens"] = nullptr;
    json["metadata"] = OrderedJson::object();
    json["model"] = head.model;
    json["output"] = OrderedJson::array();
    json["parallel_tool_calls"] = true;
    json["previous_response_id"] = nullptr;
    json["store"] = false;
    json["temperature"] = nullptr;
    json["text"]["format"]["type"] = "text";
    json["tool_choice"] = "auto";
    json["tools"] = OrderedJson::array();
    json["top_p"] = nullptr;
    json["truncation"] = "disabled";
    json["usage"] = nullptr;
    return json;
}
OrderedJson ended_response(const OpenaiHead& head, const std::string& text, OpenaiFinish finish,
                           const models::Usage& usage) {
    const char* status = finish == OpenaiFinish::length ? "incomplete" : "completed";
    auto json = response_object(head, status);
    if (finish == OpenaiFinish::length) json["incomplete_details"]["reason"] = "max_output_tokens";
    json["output"].push_back(message_item(head, status, &text));
    json["usage"] = response_usage(usage);
    return json;
}
std::string event_text(std::int64_t& number, const char* type, OrderedJson fields) {
    OrderedJson event;
    event["type"] = type;
    event["sequence_number"] = number++;
    event.update(fields);
    return std::string("event: ") + type + "\ndata: " + json_line(event) + "\n\n";
}
std::string response_event(std::int64_t& number, const char* type, OrderedJson response) {
    return event_text(number, type, {{"response", std::move(response)}});
}
/// The common fields of events within the message.
OrderedJson in_part(const OpenaiHead& head) {
    OrderedJson fields;
    fields["item_id"] = message_id(head);
    fields["output_index"] = 0;
    fields["content_index"] = 0;
    return fields;
}
OrderedJson item_fields(OrderedJson item) { return {{"output_index", 0}, {"item", std::move(item)}}; }
}

std::string response_json(const OpenaiHead& head, const OpenaiAnswer& answer) {
    return json_line(ended_response(head, answer.text, answer.finish, answer.usage));
}

std::string ResponsesStream::begin() {
    if (begun_ || ended_) return {};
    begun_ = true;
    const auto response = response_object(head_, "in_progress");
    auto out = response_event(number_, "response.created", response);
    return out + response_event(number_, "response.in_progress", response);
}
std::string ResponsesStream::open_message() {
    auto out = begin();
    if (std::exchange(open_, true)) return out;
    out += event_text(number_, "response.output_item.added", item_fields(message_item(head_, "in_progress", nullptr)));
    auto part = in_part(head_);
    part["part"] = text_part("");
    return out + event_text(number_, "response.content_part.added", std::move(part));
}
std::string ResponsesStream::piece(std::string_view text) {
    if (ended_ || text.empty()) return {};
    auto out = open_message();
    sent_ += repair_utf8(text);
    for_each_piece(repair_utf8(text), [&](std::string_view part) {
        auto fields = in_part(head_);
        fields["delta"] = part;
        fields["logprobs"] = OrderedJson::array();
        out += event_text(number_, "response.output_text.delta", std::move(fields));
    });
    return out;
}
std::string ResponsesStream::finish(OpenaiFinish finish, const models::Usage& usage) {
    if (ended_) return {};
    auto out = open_message();
    ended_ = true;
    const bool whole = finish != OpenaiFinish::length;
    auto text = in_part(head_);
    text["text"] = sent_;
    text["logprobs"] = OrderedJson::array();
    out += event_text(number_, "response.output_text.done", std::move(text));
    auto part = in_part(head_);
    part["part"] = text_part(sent_);
    out += event_text(number_, "response.content_part.done", std::move(part));
    const char* status = whole ? "completed" : "incomplete";
    out += event_text(number_, "response.output_item.done", item_fields(message_item(head_, status, &sent_)));
    return out + response_event(number_, whole ? "response.completed" : "response.incomplete",
                                ended_response(head_, sent_, finish, usage));
}
std::string ResponsesStream::fail(const OpenaiError& error) {
    if (ended_) return {};
    auto out = begin();
    ended_ = true;
    OrderedJson fields;
    fields["code"] = error.code ? OrderedJson(*error.code) : OrderedJson();
    fields["message"] = error.message;
    fields["param"] = error.param ? OrderedJson(*error.param) : OrderedJson();
    out += event_text(number_, "error", std::move(fields));
    auto response = response_object(head_, "failed");
    response["error"]["code"] = "server_error";
    response["error"]["message"] = error.message;
    if (open_) response["output"].push_back(message_item(head_, "incomplete", &sent_));
    return out + response_event(number_, "response.failed", std::move(response));
}
}
