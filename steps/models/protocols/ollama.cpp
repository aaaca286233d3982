// Peculiarities: streaming is the default, a schema with tools prevents calls, old versions send no ids and no reason,
// and calls may continue after a chunk with some.
#include "steps/models/protocols/ollama.hpp"
#include "engine/net/ndjson.hpp"
#include "engine/net/url.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/parts/call_assembler.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/parts/finish.hpp"
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "steps/models/protocols/parts/turns.hpp"

namespace weft::models {
namespace {
using wire::json;
using wire::member;

json write_message(const Message& message) {
    if (auto native = turns::native_of(message, ollama_chat.name); native.is_object()) return native;
    json out = {{"role", wire::role_name(message.role)}, {"content", message.content}};
    for (const auto& call : message.calls) {
        json function = {{"name", call.name}, {"arguments", turns::arguments_object(call.arguments)}};
        out["tool_calls"].push_back({{"id", call.id}, {"function", std::move(function)}});
    }
    if (!message.tool.empty()) out["tool_name"] = message.tool;
    if (!message.call.empty()) out["tool_call_id"] = message.call;
    return out;
}
}

std::string ollama_request(const ChatRequest& request, const std::string& model, bool stream,
                           const Features& features) {
    json body = {{"model", model}, {"messages", json::array()}, {"stream", stream}};  // the default is true
    std::vector<Message> room;
    for (const auto& message : adapted_messages(request.messages, features, room))
        body["messages"].push_back(write_message(message));
    const bool offers = !request.tools.empty() && request.choice == ToolChoice::automatic;  // the API lacks tool choice
    if (offers) body["tools"] = wire::function_tools(request.tools);
    else if (const int form = features.form(Feature::schema); !request.schema.schema.empty() && form < 2)
        body["format"] = form ? json("json") : turns::schema_of(request.schema);
    json options = json::object();
    for (const auto& stop : request.stop)
        if (features.usual(Feature::stop) && !stop.empty()) options["stop"].push_back(stop);
    const auto& sampling = request.sampling;
    if (sampling.temperature && features.usual(Feature::temperature)) options["temperature"] = *sampling.temperature;
    if (sampling.max_tokens && features.form(Feature::max_tokens) < 2) options["num_predict"] = *sampling.max_tokens;
    if (sampling.seed && features.usual(Feature::seed)) options["seed"] = *sampling.seed;
    if (!options.empty()) body["options"] = std::move(options);
    return turns::dump(body);
}

namespace {
class OllamaReader final : public ReplyReader {
public:
    OllamaReader(const ChatRequest& request, const Secret& key) : ReplyReader(request, key), calls_(request) {}

private:
    void read(std::string_view bytes) override {
        lines_.feed(bytes);
        take_lines();
    }
    void read_rest() override {
        lines_.finish();
        take_lines();
    }
    void take_lines() {
        while (!done()) {
            auto line = lines_.next();
            if (!line) return;
            if (line->starts_with("data:")) line = trimmed(line->substr(5));  // sent by gateways
            if (line->empty() || *line == "[DONE]") continue;
            if (const auto* chunk = scanner_.ollama(*line)) {
                add(chunk->text);
                if (!chunk->model.empty()) reply_.model = chunk->model;
                continue;
            }
            if (line->front() != '{') throw judge_text(*line, ollama_chat.hints(), key_);
            const auto part = wire::parse(repair_utf8(*line), key_);
            throw_if_error(part, ollama_chat.hints(), key_);
            take(part);
        }
    }
    void take(const json& part) {
        const auto& message = member(part, "message");
        const auto thinking = wire::text_or_empty(member(message, "thinking"));  // not text
        think(thinking);
        thinking_ += thinking;
        add(wire::text_or_empty(member(message, "content")));
        if (const auto& calls = member(message, "tool_calls"); calls.is_array())
            for (const auto& call : calls) take_call(call);
        else take_call(calls);
        if (auto model = wire::text_or_empty(member(part, "model")); !model.empty()) reply_.model = std::move(model);
        if (member(part, "done") != json(true)) return;
        ended_ = true;
        reply_.usage.prompt_tokens = wire::count_or_zero(member(part, "prompt_eval_count"));
        reply_.usage.completion_tokens = wire::count_or_zero(member(part, "eval_count"));
        const auto reason = wire::text_or_empty(member(part, "done_reason"));
        reply_.finish = finish_of(reason.empty() ? "stop" : reason);  // old versions send no reason
        const bool none = calls_.empty();
        if (none && reply_.finish == FinishReason::tool_calls) reply_.finish = FinishReason::stop;
        if (!none && reply_.finish != FinishReason::length) reply_.finish = FinishReason::tool_calls;
        keep();
    }
    // Each call comes whole, in one chunk; the next chunk may have more. Ids made here are not sent to the server.
    void take_call(const json& call) {
        const auto& function = member(call, "function").is_object() ? member(call, "function") : call;
        if (!function.is_object()) return;
        const auto& arguments = member(function, "arguments");
        const auto id = wire::id_or_empty(member(call, "id")), name = wire::text_or_empty(member(function, "name")),
                   text = arguments.is_null() ? "{}" : turns::arguments_text(arguments);
        calls_.take({.id = id, .name = name, .arguments = text, .whole = true});
        sent_.push_back(call);
    }
    void keep() {
        const auto numbers = calls_.finish(reply_.finish == FinishReason::length, reply_.calls);
        if (thinking_.empty() && numbers.empty()) return;
        json native = {{"role", "assistant"}, {"content", written()}};
        if (!thinking_.empty()) native["thinking"] = thinking_;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            auto call = sent_[numbers[i]];
            if (call.contains("id")) call["id"] = reply_.calls[i].id;
            call["function"]["name"] = reply_.calls[i].name;
            call["function"]["arguments"] = turns::arguments_object(reply_.calls[i].arguments);
            native["tool_calls"].push_back(std::move(call));
        }
        reply_.native = turns::make_native(ollama_chat.name, native);
    }

    CallAssembler calls_;
    net::NdjsonReader lines_;
    TextChunkScanner scanner_;
    std::string thinking_;
    std::vector<json> sent_;  // the calls as received
};
}

std::unique_ptr<ReplyReader> ollama_reader(const ChatRequest& request, const Secret& key) {
    return std::make_unique<OllamaReader>(request, key);
}
net::Url ollama_base(std::string text) {
    const bool has_scheme = text.find("://") != std::string::npos;
    if (!has_scheme) {
        if (text.starts_with(':')) text.insert(0, "127.0.0.1");
        text.insert(0, "http://");
    }
    auto url = net::parse_url(text);
    const auto host_begin = text.find("://") + 3;
    const auto authority = text.substr(host_begin, text.find('/', host_begin) - host_begin);
    const auto port = authority.find(':', authority.find(']') == std::string::npos ? 0 : authority.find(']'));
    if (!has_scheme && port == std::string::npos) url.port = 11434;
    if (url.host == "0.0.0.0" || url.host == "::") url.host = "127.0.0.1";  // valid for listening only
    return url;
}
}
