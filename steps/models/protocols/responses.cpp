// Peculiarities: a thought without its encrypted text cannot be sent back, nor can ids that point to it; the last event
// repeats the whole response, which counts only for parts that no event had.
#include "steps/models/protocols/responses.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/openai_family.hpp"
#include "steps/models/protocols/parts/event_reader.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "steps/models/protocols/parts/turns.hpp"
#include "steps/models/protocols/responses_output.hpp"

namespace weft::models {
namespace {
using wire::json;
using wire::member;

/// Returns the native items if they can be sent; null: the message itself is sent, which has the calls, too.
json native_items(const Message& message) {
    auto items = turns::native_of(message, openai_responses.name);
    if (!items.is_array()) return nullptr;
    auto call = message.calls.begin();
    for (const auto& item : items) {
        if (!item.is_object()) return nullptr;
        if (member(item, "type") != "function_call") continue;
        if (call == message.calls.end() || member(item, "call_id") != (call++)->id) return nullptr;
    }
    if (call != message.calls.end()) return nullptr;

    // The server stores nothing, so it knows a thought only from its item. Ids of other items point to the thought.
    json sent = json::array();
    bool dropped = false;
    for (auto& item : items) {
        if (member(item, "type") == "reasoning" && wire::text_or_empty(member(item, "encrypted_content")).empty()) {
            dropped = true;
            continue;
        }
        if (member(item, "type") == "function_call")
            item["arguments"] = openai::sendable_arguments(wire::text_or_empty(member(item, "arguments")));
        sent.push_back(std::move(item));
    }
    if (dropped)
        for (auto& item : sent) item.erase("id");
    return sent;
}
void write_message(const Message& message, json& input) {
    const auto say = [&](const char* role) { input.push_back({{"role", role}, {"content", message.content}}); };
    switch (message.role) {
    case Role::system: return say("system");
    case Role::user: return say("user");
    case Role::tool:
        if (message.call.empty()) return say("user");  // result for an agent with calls as text
        input.push_back({{"type", "function_call_output"}, {"call_id", message.call}, {"output", message.content}});
        return;
    case Role::assistant: break;
    }
    if (const auto native = native_items(message); native.is_array()) {
        input.insert(input.end(), native.begin(), native.end());
        return;
    }
    if (!message.content.empty() || message.calls.empty()) say("assistant");
    for (const auto& call : message.calls)
        input.push_back({{"type", "function_call"},
                         {"call_id", call.id},
                         {"name", call.name},
                         {"arguments", openai::sendable_arguments(call.arguments)}});
}
json write_tools(const std::vector<ToolSpec>& tools, const Features& features) {
    json list = json::array();
    for (auto& tool : wire::function_tools(tools)) {
        auto flat = std::move(tool["function"]);
        flat["type"] = "function";
        if (features.usual(Feature::strict))
            flat["strict"] = false;  // else the server rewrites the schemas for strict mode
        if (!flat.contains("parameters")) flat["parameters"] = {{"type", "object"}, {"properties", json::object()}};
        list.push_back(std::move(flat));
    }
    return list;
}
}

std::string responses_request(const ChatRequest& request, const std::string& model, bool stream,
                              const Features& features) {
    json body = {{"model", model}, {"input", json::array()}};
    if (features.usual(Feature::store)) body["store"] = false;
    std::vector<Message> room;
    const auto& messages = adapted_messages(request.messages, features, room);
    auto message = messages.begin();
    const auto end = messages.end();
    std::string instructions;
    for (; message != end && end - message > 1 && message->role == Role::system; ++message)
        (instructions += instructions.empty() ? "" : "\n\n") += message->content;
    if (!instructions.empty()) body["instructions"] = std::move(instructions);
    for (; message != end; ++message) write_message(*message, body["input"]);
    if (!request.tools.empty()) {
        body["tools"] = write_tools(request.tools, features);
        if (request.choice == ToolChoice::none && features.usual(Feature::tool_choice)) body["tool_choice"] = "none";
    }
    if (const int form = features.form(Feature::schema); !request.schema.schema.empty() && form < 2) {
        json schema = form == 1 ? json::object() : openai::reply_form(request.schema);
        schema["type"] = form == 1 ? "json_object" : "json_schema";
        body["text"] = {{"format", std::move(schema)}};
    }
    if (features.usual(Feature::encrypted_reasoning)) body["include"] = {"reasoning.encrypted_content"};
    if (request.sampling.temperature && features.usual(Feature::temperature))
        body["temperature"] = *request.sampling.temperature;
    if (request.sampling.max_tokens && features.form(Feature::max_tokens) < 2)
        body["max_output_tokens"] = *request.sampling.max_tokens;
    if (stream) body["stream"] = true;
    return turns::dump(body);
}

namespace {
/// Returns the position of an item in the output; -1 if it is not valid.
std::int64_t place(std::int64_t number) { return number >= 0 && number < (1 << 30) ? number : -1; }

class ResponsesReader final : public SseReplyReader {
public:
    ResponsesReader(const ChatRequest& request, const Secret& key, bool scans)
        : SseReplyReader(request, key), output_(request), scans_(scans) {}

private:
    ProviderHints hints() const override { return openai_responses.hints(); }
    void take_document(const json& body) override { end(body, "completed"); }
    void take_event(const net::SseEvent& event) override {
        if (event.data == "[DONE]") return end(json(), "completed");  // some servers send no other end
        if (scans_)
            if (const auto* chunk = scanner_.responses(event.data))
                return add_text(place(chunk->index), chunk->item, chunk->text);
        const auto data = wire::parse(repair_utf8(event.data), key_);
        auto type = wire::text_or_empty(member(data, "type"));
        take(type.empty() ? std::string(event.type) : type, data);
    }
    void take(const std::string& type, const json& data) {
        const auto text = [&](const char* name) { return wire::text_or_empty(member(data, name)); };
        const auto& number = member(data, "output_index");
        const auto index = number.is_number_integer() ? place(number.get<std::int64_t>()) : -1;
        const auto id = text("item_id");
        const auto& item = member(data, "item");
        const auto& response = member(data, "response");
        check(data);
        if (type == "response.output_text.delta") {
            add_text(index, id, text("delta"));
        } else if (type == "response.output_text.done") {
            if (!output_.has_text(index, id)) add_text(index, id, text("text"));
        } else if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta") {
            think(text("delta"));
            thought_ = thinks_ = true;
        } else if (type == "response.reasoning_summary_part.done" || type == "response.reasoning_text.done") {
            think("\n");
        } else if (type == "response.refusal.delta") {
            refuse(text("delta"));
        } else if (type == "response.refusal.done") {
            if (!refused_) refuse(text("refusal"));
        } else if (type == "response.function_call_arguments.delta") {
            output_.add_arguments(index, id, text("delta"));
        } else if (type == "response.function_call_arguments.done") {
            output_.set_arguments(index, id, text("arguments"));
        } else if (type == "response.output_item.added") {
            output_.begin(index, item);
        } else if (type == "response.output_item.done") {
            take_text(index, item);
            output_.end(index, item);
        } else if (type == "response.created" || type == "response.in_progress") {
            note(response);
        } else if (type == "response.completed" || type == "response.done" || type == "response.incomplete" ||
                   type == "response.failed") {
            end(response, type == "response.done" ? "completed" : type.substr(type.find('.') + 1));
        }
    }
    void note(const json& response) {
        if (const auto& error = member(response, "error"); !error.is_null())
            throw judge_error_object(error, openai_responses.hints(), key_);
        if (auto model = wire::text_or_empty(member(response, "model")); !model.empty())
            reply_.model = std::move(model);
        if (const auto& usage = member(response, "usage"); usage.is_object())
            reply_.usage = openai::read_usage(usage, "input", "output");
    }
    void add_text(std::int64_t index, std::string_view id, std::string_view text) {
        has_content_ = true;
        output_.add_text(index, id, text);
        add(text);
    }
    void refuse(const std::string& text) {
        if (text.empty()) return;
        refused_ = true;
        add(text);
    }
    /// Adds the text of a finished message that had no deltas.
    void take_text(std::int64_t index, const json& item) {
        if (member(item, "type") == "reasoning") return take_reasoning(item);
        if (member(item, "type") != "message") return;
        has_content_ = true;
        const auto id = ResponseOutput::id_of(item);
        if (!output_.has_text(index, id))
            if (const auto text = ResponseOutput::text_of(item); !text.empty()) add_text(index, id, text);
        if (!refused_) refuse(ResponseOutput::text_of(item, "refusal"));
    }
    void take_reasoning(const json& item) {
        if (std::exchange(thinks_, false)) return;  // its pieces have come
        for (const char* part : {"summary", "content"})
            if (const auto& texts = member(item, part); texts.is_array())
                for (const auto& one : texts)
                    if (const auto said = wire::text_or_empty(member(one, "text")); !said.empty()) {
                        think(said + '\n');
                        thought_ = true;
                    }
    }
    /// Ends a response: a document, or its repetition in the last event of a stream.
    void end(const json& response, std::string status) {
        note(response);
        if (auto said = wire::text_or_empty(member(response, "status")); !said.empty() && status != "failed")
            status = std::move(said);
        const auto reason = wire::text_or_empty(member(member(response, "incomplete_details"), "reason"));
        if (status == "failed") throw judge_error_object(nullptr, openai_responses.hints(), key_);
        if (status == "cancelled" || status == "queued" || status == "in_progress")
            throw broken("sent a response that is " + status + " instead of a reply");
        const auto& whole = member(response, "output");
        if (!has_content_ && !refused_ && whole.is_array()) {
            std::int64_t index = 0;
            for (const bool told = thought_; const auto& item : whole) {
                if (!told || member(item, "type") != "reasoning") take_text(index, item);
                ++index;
            }
        }
        if (cut()) return;
        ended_ = true;
        const bool too_long = reason == "max_output_tokens" || reason == "max_tokens";
        if (refused_ || reason == "content_filter") {
            reply_.finish = FinishReason::refused;  // without calls
            return;
        }
        output_.finish(whole, too_long, reply_);
        if (too_long) reply_.finish = FinishReason::length;
        else if (!reply_.calls.empty()) reply_.finish = FinishReason::tool_calls;
        else if (status == "incomplete") reply_.finish = FinishReason::length;
        else if (!has_content_ && !whole.is_array()) throw broken("sent a reply without content");
    }

    TextChunkScanner scanner_;
    ResponseOutput output_;
    const bool scans_;
    bool has_content_ = false, refused_ = false, thought_ = false;
    bool thinks_ = false;  // the current item has sent its reasoning in pieces
};
}

std::unique_ptr<ReplyReader> responses_reader(const ChatRequest& request, const Secret& key) {
    return std::make_unique<ResponsesReader>(request, key, true);
}

std::unique_ptr<ReplyReader> responses_reader_without_scanner(const ChatRequest& request, const Secret& key) {
    return std::make_unique<ResponsesReader>(request, key, false);
}
}
