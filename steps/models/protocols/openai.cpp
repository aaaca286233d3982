// Peculiarities: servers omit [DONE], finish with "stop" in spite of calls, or send an error with status 200. Requests
// are written as text without a tree, because escaping long conversations takes most of the time.
#include "steps/models/protocols/openai.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/openai_family.hpp"
#include "steps/models/protocols/openai_message.hpp"
#include "steps/models/protocols/parts/event_reader.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/parts/finish.hpp"
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "steps/models/protocols/parts/turns.hpp"
#include "steps/models/protocols/parts/write_json.hpp"
#include "steps/models/protocols/parts/written_messages.hpp"

namespace weft::models {
namespace {
using namespace std::string_view_literals;
using wire::json;
using wire::member;

/// Returns the native form if it can be sent; null sends the message itself, which also has the calls of a broken form.
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
json with_calls(const Message& message, const Features& features) {
    json written = {{"role", wire::role_name(message.role)}, {"content", message.content}};
    if (message.role == Role::tool) written["tool_call_id"] = message.call;
    if (message.role == Role::tool && !message.tool.empty() && !features.usual(Feature::result_names))
        written["name"] = message.tool;
    if (message.role != Role::assistant || message.calls.empty()) return written;

    // Reasoning before a call goes back with the call. Reasoning before an answer does not, because the turn is over,
    // and some servers refuse it.
    if (auto native = native_message(message); !native.is_null()) {
        if (!features.usual(Feature::empty_content) && native["content"].is_null()) native["content"] = "";
        return native;
    }
    if (message.content.empty() && features.usual(Feature::empty_content)) written["content"] = nullptr;
    for (const auto& call : message.calls)
        written["tool_calls"].push_back(
            {{"id", call.id},
             {"type", "function"},
             {"function", {{"name", call.name}, {"arguments", openai::sendable_arguments(call.arguments)}}}});
    return written;
}
void sign_calls(json& message) {
    if (const auto calls = message.find("tool_calls"); calls != message.end())
        for (auto& call : *calls)
            if (auto& google = call["extra_content"]["google"]; !google.contains("thought_signature"))
                google["thought_signature"] = no_signature;
}
/// Most messages are a role and a text, which need no tree. A result without a call comes from an agent with calls as
/// text.
void write_message(std::string& out, const Message& message, const Features& features) {
    const bool is_result = message.role == Role::tool && !message.call.empty();
    const bool calls = message.role == Role::assistant && !message.calls.empty();
    const bool demanded = message.role == Role::assistant && !features.usual(Feature::reasoning_demanded);
    if (is_result || calls || demanded) {
        auto written = with_calls(message, features);
        if (demanded)
            if (auto& reasoning = written["reasoning_content"]; wire::text_or_empty(reasoning).empty())
                reasoning = features.form(Feature::reasoning_demanded) > 1 ? "-" : "";
        if (!features.usual(Feature::signatures)) sign_calls(written);
        return write_json(out, written);
    }
    const auto role = message.role == Role::tool ? Role::user : message.role;
    ((out += R"({"role":")"sv) += wire::role_name(role)) += R"(","content":)"sv;
    write_text(out, message.content);
    out += '}';
}
}

constexpr int most_stops = 4;  // servers accept no more
std::string openai_request(const ChatRequest& request, const std::string& model, bool stream,
                           const Features& features) {
    const auto& sampling = request.sampling;
    std::vector<Message> room;
    const auto& messages = adapted_messages(request.messages, features, room);
    std::size_t size = 256;
    for (const auto& message : messages) size += message.content.size() * 9 / 8 + 64;
    std::string text;
    text.reserve(size);
    // Members in alphabetical order, and the messages last: the text of a longer conversation begins with the shorter.
    write_text(text += R"({"model":)"sv, model);
    const auto add = [&text](std::string_view name) -> std::string& { return ((text += ",\""sv) += name) += "\":"sv; };
    if (const int form = features.form(Feature::max_tokens); sampling.max_tokens && form < 2)
        add(form ? "max_completion_tokens" : "max_tokens") += std::to_string(*sampling.max_tokens);
    if (const int form = features.form(Feature::schema); !request.schema.schema.empty() && form < 2) {
        add("response_format");
        if (form == 1) text += R"({"type":"json_object"})";
        else write_json(text, {{"type", "json_schema"}, {"json_schema", openai::reply_form(request.schema)}});
    }
    if (sampling.seed && features.usual(Feature::seed)) add("seed") += std::to_string(*sampling.seed);
    if (features.usual(Feature::stop)) {
        int stops = 0;
        for (const auto& stop : request.stop) {
            if (stop.empty() || stops == most_stops) continue;
            write_text(stops++ ? text += ',' : add("stop") += '[', stop);
        }
        if (stops) text += ']';
    }
    if (stream) add("stream") += "true"sv;
    if (stream && features.usual(Feature::usage_in_stream)) add("stream_options") += R"({"include_usage":true})"sv;
    if (sampling.temperature && features.usual(Feature::temperature))
        write_json(add("temperature"), *sampling.temperature);
    if (!request.tools.empty()) {
        if (request.choice == ToolChoice::none && features.usual(Feature::tool_choice))
            add("tool_choice") += R"("none")";
        write_json(add("tools"), wire::function_tools(request.tools));
    }
    add("messages") += '[';
    thread_local WrittenMessages written;
    written.append(text, messages, features, write_message);
    text += "]}"sv;
    return text;
}

namespace {
class OpenAiReader final : public SseReplyReader {
public:
    OpenAiReader(const ChatRequest& request, const Secret& key, bool scans)
        : SseReplyReader(request, key), parts_(request), scans_(scans) {}

    bool may_end() const override { return has_finish_; }

private:
    ProviderHints hints() const override { return openai_chat.hints(); }
    void take_document(const json& body) override {
        note(body);
        take_choice(body, "message");
        end();
    }
    bool take_plain_document(std::string_view document) override {
        const auto* whole = scans_ ? scanner_.openai_document(document) : nullptr;
        if (!whole) return false;
        take_chunk(*whole);
        end();
        return true;
    }
    // Some servers omit [DONE]; a finish reason also ends the reply.
    void finish_events() override {
        if (has_finish_) end();
    }
    void take_event(const net::SseEvent& event) override {
        if (event.data == "[DONE]") end();
        else take_chunk(event.data);
    }
    void take_chunk(std::string_view data) {
        if (scans_) {
            if (const auto* chunk = scanner_.openai(data)) return take_chunk(*chunk);
        }
        const auto chunk = wire::parse(repair_utf8(data), key_);
        note(chunk);
        take_choice(chunk, "delta");
    }
    void take_chunk(const TextChunk& chunk) {
        if (!chunk.usage.empty()) reply_.usage = openai::read_usage(chunk.usage, "prompt", "completion", key_);
        if (!chunk.model.empty() && chunk.model != reply_.model) reply_.model = chunk.model;
        has_choice_ = has_choice_ || chunk.has_choice;
        has_content_ = has_content_ || chunk.has_text;
        add(chunk.text);
        if (!chunk.finish.empty()) note_finish(chunk.finish);
    }
    void note(const json& body) {
        check(body);
        if (const auto& usage = member(body, "usage"); usage.is_object())
            reply_.usage = openai::read_usage(usage, "prompt", "completion");
        if (auto model = wire::text_or_empty(member(body, "model")); !model.empty()) reply_.model = std::move(model);
    }
    void note_finish(std::string_view reason) {
        has_finish_ = true;
        reply_.finish = finish_of(reason);
    }
    void take_choice(const json& body, const char* name) {
        const auto& choices = member(body, "choices");
        if (!choices.is_array()) return;
        for (const auto& choice : choices) {
            if (wire::count_or_zero(member(choice, "index")) != 0) continue;  // only one is requested
            has_choice_ = true;
            throw_if_unreadable(wire::text_or_empty(member(choice, "native_finish_reason")));  // OpenRouter's
            for (const auto* place : {&choice, &member(choice, name)})
                if (!member(*place, "error").is_null()) check(*place);
            const bool whole = is_document() || !member(choice, name).is_object();  // some events have a message
            take_message(member(choice, whole ? "message" : name), whole);
            const auto finish = wire::text_or_empty(member(choice, "finish_reason"));
            if (!finish.empty()) note_finish(finish);
            return;
        }
    }
    void take_message(const json& message, bool whole) {
        const auto reasoning = wire::text_or_empty(member(message, "reasoning_content"));  // some send both
        think(reasoning.empty() ? wire::text_or_empty(member(message, "reasoning")) : reasoning);
        const auto& content = member(message, "content");
        if (content.is_string() || content.is_array()) has_content_ = true;
        if (content.is_array())  // Mistral's reasoning is among the parts of the content
            for (const auto& part : content) {
                think(wire::content_text(member(part, "thinking")));
                if (member(part, "type") == "reasoning") think(wire::text_or_empty(member(part, "text")));
            }
        add(wire::content_text(content));
        if (const auto refusal = wire::text_or_empty(member(message, "refusal")); !refusal.empty()) {
            refused_ = true;
            add(refusal);
        }
        if (whole) parts_.take_whole(message);
        else parts_.take_delta(message);
    }
    void end() {
        ended_ = true;
        if (!has_choice_) throw broken("sent a reply without choices");
        if (!has_finish_) reply_.finish = FinishReason::unknown;
        if (refused_) reply_.finish = FinishReason::refused;
        if (cut() || reply_.finish == FinishReason::refused) return;  // without calls
        const bool too_long = reply_.finish == FinishReason::length;
        if (!has_content_ && !parts_.has_calls() && !has_finish_) throw broken("sent a reply without content");
        parts_.finish(written(), has_thought(), too_long, reply_);
        // Some servers send stop or their own word in spite of calls.
        if (!reply_.calls.empty() && !too_long) reply_.finish = FinishReason::tool_calls;
    }

    TextChunkScanner scanner_;
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
