// Its traps: streaming is the default, a schema beside tools forbids calls, old versions give no ids and no reason, and
// calls go on after a chunk that has some.
#include "steps/models/protocols/ollama.hpp"
#include "engine/net/ndjson.hpp"
#include "engine/net/url.hpp"
#include "engine/utf8.hpp"
#include "steps/models/protocols/reply_calls.hpp"
#include "steps/models/protocols/text_chunk_scanner.hpp"
#include "steps/models/protocols/turns.hpp"

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

std::string ollama_request(const ChatRequest& request, const std::string& model, bool stream) {
    json body = {{"model", model}, {"messages", json::array()}, {"stream", stream}};  // streaming is its default
    for (const auto& message : request.messages) body["messages"].push_back(write_message(message));
    const bool offers = !request.tools.empty() && request.choice == ToolChoice::automatic;  // there is no tool choice
    if (offers) body["tools"] = wire::function_tools(request.tools);
    else if (!request.schema.schema.empty()) body["format"] = turns::schema_of(request.schema);
    json options = json::object();
    for (const auto& stop : request.stop)
        if (!stop.empty()) options["stop"].push_back(stop);
    const auto& sampling = request.sampling;
    if (sampling.temperature) options["temperature"] = *sampling.temperature;
    if (sampling.max_tokens) options["num_predict"] = *sampling.max_tokens;
    if (sampling.seed) options["seed"] = *sampling.seed;
    if (!options.empty()) body["options"] = std::move(options);
    return turns::dump(body);
}

namespace {
class OllamaReader final : public ReplyReader {
public:
    OllamaReader(const ChatRequest& request, const Secret& key)
        : ReplyReader(request, key), calls_before_(call_ids::next(request.messages)) {}

private:
    void read(std::string_view bytes, const OnDelta& on_delta) override {
        lines_.feed(bytes);
        take_lines(on_delta);
    }
    void read_rest(const OnDelta& on_delta) override {
        lines_.finish();
        take_lines(on_delta);
    }
    void take_lines(const OnDelta& on_delta) {
        while (!done()) {
            const auto line = lines_.next();
            if (!line) return;
            if (const auto chunk = scanner_.ollama(*line)) {
                take_text(chunk->text, on_delta);
                if (!chunk->model.empty()) reply_.model = chunk->model;
                continue;
            }
            const auto part = wire::parse(repair_utf8(*line), key_);
            if (const auto& error = member(part, "error"); !error.is_null())
                throw judge_error_object(error, ollama_chat.hints(), key_);
            take(part, on_delta);
        }
    }
    void take(const json& part, const OnDelta& on_delta) {
        const auto& message = member(part, "message");
        const auto thinking = wire::text_or_empty(member(message, "thinking"));  // is not text
        think(thinking);
        thinking_ += thinking;
        take_text(wire::text_or_empty(member(message, "content")), on_delta);
        if (const auto& calls = member(message, "tool_calls"); calls.is_array())
            for (const auto& call : calls) take_call(call);
        if (auto model = wire::text_or_empty(member(part, "model")); !model.empty()) reply_.model = std::move(model);
        if (member(part, "done") != json(true)) return;
        ended_ = true;
        reply_.usage.prompt_tokens = wire::count_or_zero(member(part, "prompt_eval_count"));
        reply_.usage.completion_tokens = wire::count_or_zero(member(part, "eval_count"));
        const auto& reason = member(part, "done_reason");
        const bool stops = reason.is_null() || reason == "stop" || reason == "tool_calls";  // old ones give no reason
        if (reason == "length") reply_.finish = FinishReason::length;
        else if (!reply_.calls.empty()) reply_.finish = FinishReason::tool_calls;
        else reply_.finish = stops ? FinishReason::stop : FinishReason::unknown;
        if (reply_.finish == FinishReason::stop && text_.empty() && thinking_.empty())
            throw broken("sent a reply without content");
        keep();
    }
    void take_text(std::string_view text, const OnDelta& on_delta) {
        text_ += text;
        add(text, on_delta);
    }
    // Whole, each in one chunk; more may come in the next. An id that was made here is not sent to the server.
    void take_call(const json& call) {
        const auto& function = member(call, "function");
        if (!function.is_object()) return;
        const auto& arguments = member(function, "arguments");
        ToolCall taken{wire::text_or_empty(member(call, "id")), wire::text_or_empty(member(function, "name")), "{}"};
        if (arguments.is_string()) taken.arguments = arguments.get<std::string>();
        else if (!arguments.is_null()) taken.arguments = turns::dump(arguments);
        if (reply_calls::is_repeated(reply_.calls, taken)) return;
        calls_.push_back(call);
        calls_.back()["function"]["arguments"] = turns::arguments_object(taken.arguments);
        reply_calls::add(reply_.calls, std::move(taken), calls_before_);
    }
    void keep() {
        if (thinking_.empty() && calls_.empty()) return;
        json native = {{"role", "assistant"}, {"content", text_}};
        if (!thinking_.empty()) native["thinking"] = thinking_;
        if (!calls_.empty()) native["tool_calls"] = std::move(calls_);
        reply_.native = turns::make_native(ollama_chat.name, native);
    }

    const std::size_t calls_before_;
    net::LineReader lines_;
    TextChunkScanner scanner_;
    std::string text_, thinking_;
    json calls_ = json::array();
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
    if (url.host == "0.0.0.0" || url.host == "::") url.host = "127.0.0.1";  // where it listens, not where it is
    return url;
}
}
