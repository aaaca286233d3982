// Peculiarities: old models refuse a schema together with tools; models from 3 on demand a signature with each call,
// for which Google documents a placeholder; each chunk repeats the usage, so only the last one is parsed.
#include "steps/models/protocols/gemini.hpp"
#include "engine/text/percent_encoding.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/parts/call_assembler.hpp"
#include "steps/models/protocols/parts/event_reader.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/parts/finish.hpp"
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "steps/models/protocols/parts/turns.hpp"
#include <algorithm>
#include <set>

namespace weft::models {
namespace {
using wire::json;
using wire::member;
using wire::text_or_empty;
constexpr std::size_t most_stops = 5;

std::string_view bare_name(std::string_view model) { return model.substr(model.rfind('/') + 1); }
bool is_before_3(std::string_view model) {
    return bare_name(model).starts_with("gemini-1") || bare_name(model).starts_with("gemini-2");
}
json text_part(const std::string& text) { return {{"text", text}}; }
json model_parts(const Message& message, bool signs) {
    if (auto native = turns::native_of(message, gemini_generate.name); native.is_array()) {
        for (auto& part : native)
            if (signs && part.contains("functionCall") && !part.contains("thoughtSignature"))
                part["thoughtSignature"] = no_signature;
        return native;
    }
    json parts = json::array();
    if (!turns::is_blank(message.content)) parts.push_back(text_part(message.content));
    for (const auto& call : message.calls) {
        json part = {{"functionCall", {{"name", call.name}, {"args", turns::arguments_object(call.arguments)}}}};
        if (signs) part["thoughtSignature"] = no_signature;
        parts.push_back(std::move(part));
    }
    return parts;
}
/// Notes the server's own ids; it does not know those made here.
void note_response_ids(const json& parts, std::set<std::string>& ids) {
    for (const auto& part : parts)
        if (auto id = text_or_empty(member(member(part, "functionCall"), "id")); !id.empty()) ids.insert(std::move(id));
}
json result_part(const Message& message, const std::set<std::string>& ids) {
    json response = {{"name", message.tool}, {"response", {{message.ok ? "output" : "error", message.content}}}};
    if (ids.count(message.call)) response["id"] = message.call;
    return {{"functionResponse", std::move(response)}};
}
json write_contents(const std::vector<Message>& messages, bool signs) {
    std::set<std::string> ids;
    const auto from_model = [&](const Message& message) {
        auto parts = model_parts(message, signs);
        note_response_ids(parts, ids);
        return parts;
    };
    const auto to_model = [&](const Message& message) {
        json parts = json::array();
        if (message.role == Role::tool && !message.tool.empty()) parts.push_back(result_part(message, ids));
        else if (!turns::is_blank(message.content)) parts.push_back(text_part(message.content));
        return parts;
    };
    return turns::write(messages, "model", "parts", from_model, to_model);
}
json write_config(const ChatRequest& request, const std::string& model, const Features& features) {
    json config = json::object();
    const auto& sampling = request.sampling;
    if (sampling.temperature && features.usual(Feature::temperature)) config["temperature"] = *sampling.temperature;
    if (sampling.max_tokens && features.form(Feature::max_tokens) < 2) config["maxOutputTokens"] = *sampling.max_tokens;
    if (sampling.seed && features.usual(Feature::seed)) config["seed"] = *sampling.seed & 0x7fffffff;  // 32 bits only
    for (const auto& stop : request.stop)
        if (features.usual(Feature::stop) && !stop.empty() && config["stopSequences"].size() < most_stops)
            config["stopSequences"].push_back(stop);
    const int form = features.form(Feature::schema);
    if (!request.schema.schema.empty() && (request.tools.empty() || !is_before_3(model)) && form < 2) {
        config["responseMimeType"] = "application/json";
        if (form == 0) config["responseJsonSchema"] = turns::schema_of(request.schema);
    }
    return config;
}
/// Keeps the keywords of a schema that older servers know, and the first of several types that is not null.
void keep_openapi(json& schema, int depth) {
    constexpr int deepest = 32;
    static const std::set<std::string> known = {"type",    "format",   "title",    "description", "nullable",
                                                "enum",    "maxItems", "minItems", "properties",  "required",
                                                "minimum", "maximum",  "anyOf",    "items",       "propertyOrdering"};
    if (!schema.is_object() || depth > deepest) return void(schema = json::object());
    for (auto part = schema.begin(); part != schema.end();)
        part = known.count(part.key()) ? std::next(part) : schema.erase(part);
    if (auto type = schema.find("type"); type != schema.end() && type->is_array()) {
        const auto named = std::find_if(type->begin(), type->end(), [](const json& one) { return one != "null"; });
        *type = named == type->end() ? json("string") : json(*named);
    }
    if (auto all = schema.find("properties"); all != schema.end() && all->is_object())
        for (auto& one : *all) keep_openapi(one, depth + 1);
    if (auto items = schema.find("items"); items != schema.end()) keep_openapi(*items, depth + 1);
    if (auto any = schema.find("anyOf"); any != schema.end() && any->is_array())
        for (auto& one : *any) keep_openapi(one, depth + 1);
}
}

std::string gemini_path(const std::string& model, bool stream) {
    const std::string folder = model.find('/') == std::string::npos ? "models/" : "";  // with a slash: tunedModels/NAME
    return folder + percent_encoded(model, "/@") + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}
std::string gemini_request(const ChatRequest& request, const std::string& model, bool, const Features& features) {
    std::vector<Message> room;
    const auto& messages = adapted_messages(request.messages, features, room);
    const bool signs = !is_before_3(model) || !features.usual(Feature::signatures);
    json body = {{"contents", write_contents(messages, signs)}};
    if (const auto text = turns::system_text(messages); !text.empty() && !turns::has_only_instructions(messages))
        body["systemInstruction"] = {{"parts", json::array({text_part(text)})}};
    json functions = json::array();
    for (const auto& tool : request.tools) {
        json function = {{"name", tool.name}, {"description", tool.description}};
        if (!turns::is_blank(tool.parameters)) {
            const bool whole = features.usual(Feature::json_schemas);
            auto schema = turns::parameters_of(tool);
            if (!whole) keep_openapi(schema, 0);
            const bool says_nothing = member(schema, "type") == "object" && member(schema, "properties").empty();
            if (whole) function["parametersJsonSchema"] = std::move(schema);
            else if (!says_nothing) function["parameters"] = std::move(schema);  // the server refuses an empty object
        }
        functions.push_back(std::move(function));
    }
    if (!functions.empty()) {
        json tools = {{"functionDeclarations", std::move(functions)}};
        body["tools"] = json::array({std::move(tools)});
        if (request.choice == ToolChoice::none && features.usual(Feature::tool_choice))
            body["toolConfig"] = {{"functionCallingConfig", {{"mode", "NONE"}}}};
    }
    if (auto config = write_config(request, model, features); !config.empty())
        body["generationConfig"] = std::move(config);
    return turns::dump(body);
}

namespace {
class GeminiReader final : public SseReplyReader {
public:
    GeminiReader(const ChatRequest& request, const Secret& key) : SseReplyReader(request, key), calls_(request) {}

    bool may_end() const override { return has_finish_; }

private:
    ProviderHints hints() const override { return gemini_generate.hints(); }
    void take_document(const json& body) override {
        take_any(body);
        if (!has_candidate_ && !has_finish_) throw broken("sent a reply without candidates");
        finish_events();
    }
    void finish_events() override {
        if (has_finish_) end();
    }
    void take_event(const net::SseEvent& event) override {
        if (event.data == "[DONE]") return;  // sent by proxies
        if (const auto* chunk = scanner_.gemini(event.data)) take_text(*chunk);
        else take_any(wire::parse(repair_utf8(event.data), key_));
    }
    void take_any(const json& part) {
        if (!part.is_array()) return take(part);
        for (const auto& element : part)
            if (!done()) take(element);
    }
    void take_text(const TextChunk& chunk) {
        has_candidate_ = true;
        add(chunk.text);
        if (native_.empty() || !is_text_alone(native_.back())) native_.push_back(text_part(""));
        native_.back()["text"].get_ref<std::string&>() += chunk.text;
        if (!chunk.model.empty()) reply_.model = chunk.model;
        if (!chunk.usage.empty()) last_usage_ = chunk.usage;  // parsed if nothing newer comes
    }
    void note_last_usage() {
        if (!last_usage_.empty()) note_usage(wire::parse(last_usage_, key_));
        last_usage_.clear();
    }
    void take(const json& chunk) {
        check(chunk);
        note_last_usage();
        note_usage(member(chunk, "usageMetadata"));
        if (auto model = text_or_empty(member(chunk, "modelVersion")); !model.empty()) reply_.model = std::move(model);
        const auto blocked = text_or_empty(member(member(chunk, "promptFeedback"), "blockReason"));
        if (!blocked.empty() && blocked != "BLOCK_REASON_UNSPECIFIED") {
            has_finish_ = true;
            reply_.finish = FinishReason::refused;
        }
        const auto& candidates = member(chunk, "candidates");
        if (!candidates.is_array()) return;
        for (const auto& candidate : candidates) {
            if (wire::count_or_zero(member(candidate, "index")) != 0) continue;  // only one is requested
            has_candidate_ = true;
            if (const auto& parts = member(member(candidate, "content"), "parts"); parts.is_array())
                for (const auto& part : parts) take_part(part);
            note_finish(candidate);
            return;
        }
    }
    void note_finish(const json& candidate) {
        const auto reason = text_or_empty(member(candidate, "finishReason"));
        if (reason.empty() || reason == "FINISH_REASON_UNSPECIFIED") return;
        has_finish_ = true;
        reply_.finish = finish_of(reason, excerpt(key_.redact(text_or_empty(member(candidate, "finishMessage"))), 300));
    }
    // Running totals: the latest number counts.
    void note_usage(const json& usage) {
        const auto total = [&](std::int64_t& so_far, const char* name) {
            if (const auto& count = member(usage, name); !count.is_null()) so_far = wire::count_or_zero(count);
        };
        total(prompt_, "promptTokenCount");
        total(tool_prompt_, "toolUsePromptTokenCount");
        total(written_, "candidatesTokenCount");
        total(reply_.usage.cached_tokens, "cachedContentTokenCount");
        total(reply_.usage.reasoning_tokens, "thoughtsTokenCount");
        reply_.usage.prompt_tokens = prompt_ + tool_prompt_;
        reply_.usage.completion_tokens = written_ + reply_.usage.reasoning_tokens;
    }
    void take_part(const json& part) {
        if (!part.is_object()) return;
        const bool thought = member(part, "thought") == json(true);
        const auto text = text_or_empty(member(part, "text"));
        if (thought) think(text);
        else add(text);
        if (const auto& call = member(part, "functionCall"); call.is_object()) take_call(call);
        keep(part);
    }
    void take_call(const json& call) {
        const auto& args = member(call, "args");
        const auto id = wire::id_or_empty(member(call, "id")), name = text_or_empty(member(call, "name")),
                   arguments = args.is_null() ? "{}" : turns::arguments_text(args);
        calls_.take({.id = id, .name = name, .arguments = arguments, .whole = true});
    }
    /// Returns the parts with the assembled calls.
    json settled(bool cut) {
        const auto numbers = calls_.finish(cut, reply_.calls);
        json parts = json::array();
        for (std::size_t number = 0; auto& part : native_) {
            if (!member(part, "functionCall").is_object()) {
                parts.push_back(std::move(part));
                continue;
            }
            for (std::size_t i = 0; i < numbers.size(); ++i)
                if (numbers[i] == number) {
                    auto& call = part["functionCall"];
                    if (call.contains("id")) call["id"] = reply_.calls[i].id;
                    if (call.contains("args")) call["args"] = turns::arguments_object(reply_.calls[i].arguments);
                    parts.push_back(part);
                }
            ++number;
        }
        return parts;
    }
    /// Keeps a part unchanged; joins pieces of text without further members.
    void keep(const json& part) {
        const auto is_piece = [](const json& p) {
            return p.contains("text") && p["text"].is_string() && p.size() == (p.contains("thought") ? 2u : 1u);
        };
        if (!native_.empty() && is_piece(part) && is_piece(native_.back()) &&
            member(part, "thought") == member(native_.back(), "thought"))
            native_.back()["text"].get_ref<std::string&>() += part["text"].get_ref<const std::string&>();
        else native_.push_back(part);
        is_more_than_text_ = is_more_than_text_ || !is_text_alone(part);
    }
    static bool is_text_alone(const json& part) { return part.size() == 1 && member(part, "text").is_string(); }
    void end() {
        ended_ = true;
        note_last_usage();
        if (auto parts = settled(reply_.finish == FinishReason::length); is_more_than_text_)
            reply_.native = turns::make_native(gemini_generate.name, parts);
        if (reply_.finish == FinishReason::stop && !reply_.calls.empty()) reply_.finish = FinishReason::tool_calls;
    }

    CallAssembler calls_;
    TextChunkScanner scanner_;
    std::string last_usage_;
    bool has_candidate_ = false, has_finish_ = false, is_more_than_text_ = false;
    std::int64_t prompt_ = 0, tool_prompt_ = 0, written_ = 0;
    json native_ = json::array();
};
}

std::unique_ptr<ReplyReader> gemini_reader(const ChatRequest& request, const Secret& key) {
    return std::make_unique<GeminiReader>(request, key);
}
}
