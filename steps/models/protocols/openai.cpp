// Its traps: servers leave out [DONE], finish with "stop" although there are calls, or send an error with status 200. A
// request is written text by text, because long conversations spend their time in escaping.
#include "steps/models/protocols/openai.hpp"
#include "engine/utf8.hpp"
#include "steps/models/protocols/event_reader.hpp"
#include "steps/models/protocols/openai_family.hpp"
#include "steps/models/protocols/openai_message.hpp"
#include "steps/models/protocols/reply_calls.hpp"
#include "steps/models/protocols/text_chunk_scanner.hpp"
#include "steps/models/protocols/turns.hpp"
#include "steps/models/protocols/write_json.hpp"

namespace weft::models {
namespace {
using wire::json;
using wire::member;

/// The reply as it came, where it can be sent: what is missing or broken in it is in the message too.
json native_message(const Message& message) {
    auto native = turns::native_of(message, openai_chat.name);
    if (member(native, "role") != "assistant" || member(native, "tool_calls").size() != message.calls.size())
        return nullptr;
    auto call = message.calls.begin();
    for (auto& item : native["tool_calls"]) {
        if (member(item, "id") != (call++)->id || !member(item, "function").is_object()) return nullptr;
        auto& arguments = item["function"]["arguments"];
        arguments = openai::sendable_arguments(wire::text_or_empty(arguments));
    }
    return native;
}
json with_calls(const Message& message) {
    json written = {{"role", wire::role_name(message.role)}, {"content", message.content}};
    if (message.role == Role::tool) written["tool_call_id"] = message.call;
    if (message.role != Role::assistant || message.calls.empty()) return written;

    // What was thought before a call goes back with it. What was thought before an answer does not: the turn is over,
    // and there are servers that refuse it.
    if (auto native = native_message(message); !native.is_null()) return native;
    if (message.content.empty()) written["content"] = nullptr;
    for (const auto& call : message.calls)
        written["tool_calls"].push_back(
            {{"id", call.id},
             {"type", "function"},
             {"function", {{"name", call.name}, {"arguments", openai::sendable_arguments(call.arguments)}}}});
    return written;
}
/// Most messages are a role and a text, which need no tree. A result without a call is of an agent whose calls are
/// text.
void write_message(std::string& out, const Message& message) {
    const bool is_result = message.role == Role::tool && !message.call.empty();
    const bool calls = message.role == Role::assistant && !message.calls.empty();
    if (is_result || calls) return write_json(out, with_calls(message));
    const auto role = message.role == Role::tool ? Role::user : message.role;
    ((out += R"({"role":")") += wire::role_name(role)) += R"(","content":)";
    write_text(out, message.content);
    out += '}';
}
}

std::string openai_request(const ChatRequest& request, const std::string& model, bool stream) {
    json body = {{"model", model}};
    if (!request.tools.empty()) {
        body["tools"] = wire::function_tools(request.tools);
        if (request.choice == ToolChoice::none) body["tool_choice"] = "none";
    }
    if (!request.schema.schema.empty())
        body["response_format"] = {{"type", "json_schema"}, {"json_schema", openai::reply_form(request.schema)}};
    const bool reasoning = openai::is_reasoning_model(model);
    for (const auto& stop : request.stop)
        if (!reasoning && !stop.empty() && body["stop"].size() < 4) body["stop"].push_back(stop);  // they take four
    const auto& sampling = request.sampling;
    if (sampling.temperature) body["temperature"] = *sampling.temperature;
    if (sampling.max_tokens) body[reasoning ? "max_completion_tokens" : "max_tokens"] = *sampling.max_tokens;
    if (sampling.seed) body["seed"] = *sampling.seed;
    if (stream) {
        body["stream"] = true;
        body["stream_options"] = {{"include_usage", true}};
    }
    auto text = turns::dump(body);
    auto size = text.size() + 64;
    for (const auto& message : request.messages) size += message.content.size() * 9 / 8 + 64;
    text.reserve(size);
    text.back() = ',';
    text += R"("messages":)";
    char before = '[';
    for (const auto& message : request.messages) {
        text += before;
        write_message(text, message);
        before = ',';
    }
    text += request.messages.empty() ? "[]}" : "]}";
    return text;
}

namespace {
FinishReason openai_finish(const std::string& name) {
    if (name == "stop") return FinishReason::stop;
    if (name == "length") return FinishReason::length;
    if (name == "tool_calls" || name == "function_call") return FinishReason::tool_calls;
    if (name == "content_filter") return FinishReason::refused;
    return FinishReason::unknown;
}

class OpenAiReader final : public EventReader {
public:
    OpenAiReader(const ChatRequest& request, const Secret& key, bool scans)
        : EventReader(request, key), parts_(call_ids::next(request.messages)), scans_(scans) {}

private:
    void take_document(const json& body, const OnDelta& on_delta) override {
        note(body);
        take_choice(body, "message", on_delta);
        end();
    }
    // Some servers leave out [DONE]; a reason to finish is an end just as well.
    void finish_events() override {
        if (has_finish_) end();
    }
    void take_event(const net::SseEvent& event, const OnDelta& on_delta) override {
        if (event.data == "[DONE]") end();
        else take_chunk(event.data, on_delta);
    }
    void take_chunk(std::string_view data, const OnDelta& on_delta) {
        if (scans_) {
            if (const auto chunk = scanner_.openai(data)) {
                has_choice_ = has_content_ = true;
                if (!chunk->model.empty()) reply_.model = chunk->model;
                add_content(chunk->text, on_delta);
                return;
            }
        }
        const auto chunk = wire::parse(repair_utf8(data), key_);
        note(chunk);
        take_choice(chunk, "delta", on_delta);
    }
    void note(const json& body) {
        if (const auto& error = member(body, "error"); !error.is_null())
            throw judge_error_object(error, openai_chat.hints(), key_);
        if (const auto& usage = member(body, "usage"); usage.is_object()) {
            const auto count = [](const json& counts, const char* name) {
                return wire::count_or_zero(member(counts, name));
            };
            reply_.usage = {count(usage, "prompt_tokens"), count(usage, "completion_tokens"),
                            count(member(usage, "prompt_tokens_details"), "cached_tokens"),
                            count(member(usage, "completion_tokens_details"), "reasoning_tokens")};
        }
        if (auto model = wire::text_or_empty(member(body, "model")); !model.empty()) reply_.model = std::move(model);
    }
    void take_choice(const json& body, const char* name, const OnDelta& on_delta) {
        const auto& choices = member(body, "choices");
        if (!choices.is_array()) return;
        for (const auto& choice : choices) {
            if (wire::count_or_zero(member(choice, "index")) != 0) continue;  // we ask for one
            has_choice_ = true;
            if (const auto& error = member(choice, "error"); !error.is_null())
                throw judge_error_object(error, openai_chat.hints(), key_);
            take_message(member(choice, name), is_document(), on_delta);
            const auto finish = wire::text_or_empty(member(choice, "finish_reason"));
            if (finish.empty()) return;
            has_finish_ = true;
            reply_.finish = openai_finish(finish);
            return;
        }
    }
    void take_message(const json& message, bool whole, const OnDelta& on_delta) {
        const auto reasoning = wire::text_or_empty(member(message, "reasoning_content"));  // some say both
        think(reasoning.empty() ? wire::text_or_empty(member(message, "reasoning")) : reasoning);
        const auto& content = member(message, "content");
        if (content.is_string() || content.is_array()) has_content_ = true;
        add_content(wire::content_text(content), on_delta);
        if (const auto refusal = wire::text_or_empty(member(message, "refusal")); !refusal.empty()) {
            refused_ = true;
            add(refusal, on_delta);
        }
        if (whole) parts_.take_whole(message);
        else parts_.take_delta(message);
    }
    void add_content(std::string_view text, const OnDelta& on_delta) {
        text_ += text;
        add(text, on_delta);
    }
    void end() {
        ended_ = true;
        if (!has_choice_) throw broken("sent a reply without choices");
        if (!has_finish_) reply_.finish = FinishReason::unknown;
        if (refused_) reply_.finish = FinishReason::refused;
        if (cut() || reply_.finish == FinishReason::refused) return;  // then no call counts
        const bool too_long = reply_.finish == FinishReason::length;
        if (!has_content_ && !parts_.has_calls() && !too_long) throw broken("sent a reply without content");
        parts_.finish(text_, too_long, reply_);
        // Some servers say stop, or words of their own, when they mean this.
        if (!reply_.calls.empty() && !too_long) reply_.finish = FinishReason::tool_calls;
    }

    TextChunkScanner scanner_;
    std::string text_;  // as the model wrote it, without a refusal
    MessageParts parts_;
    const bool scans_;
    bool has_choice_ = false, has_content_ = false, has_finish_ = false, refused_ = false;
};
}

std::unique_ptr<ReplyReader> openai_reader(const ChatRequest& request, const Secret& key) {
    return std::make_unique<OpenAiReader>(request, key, true);
}

std::unique_ptr<ReplyReader> openai_reader_without_scanner(const ChatRequest& request, const Secret& key) {
    return std::make_unique<OpenAiReader>(request, key, false);
}
}
