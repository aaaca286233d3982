#include "steps/llm/ollama.hpp"
#include "engine/net/ndjson.hpp"
#include "steps/llm/wire.hpp"

namespace weft::llm {
namespace {
using wire::json;
using wire::member;

const char* role_name(Role role) {
    switch (role) {
    case Role::system: return "system";
    case Role::assistant: return "assistant";
    case Role::tool: return "tool";
    case Role::user: break;
    }
    return "user";
}
std::string write_request(const ChatRequest& request, const std::string& model, bool stream) {
    json body = {{"model", model}, {"messages", json::array()}, {"stream", stream}};  // streaming is its default
    for (const auto& message : request.messages)
        body["messages"].push_back({{"role", role_name(message.role)}, {"content", message.content}});
    if (!request.tools.empty()) body["tools"] = wire::function_tools(request.tools);
    json options = json::object();
    for (const auto& stop : request.stop)
        if (!stop.empty()) options["stop"].push_back(stop);
    const auto& sampling = request.sampling;
    if (sampling.temperature) options["temperature"] = *sampling.temperature;
    if (sampling.max_tokens) options["num_predict"] = *sampling.max_tokens;
    if (sampling.seed) options["seed"] = *sampling.seed;
    if (!options.empty()) body["options"] = std::move(options);
    return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

class Reader final : public ReplyReader {
public:
    using ReplyReader::ReplyReader;

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
            const auto part = wire::parse(*line, key_);
            if (const auto& error = member(part, "error"); !error.is_null())
                throw judge_error_object(error, ollama_chat.hints, key_);
            take(part, on_delta);
        }
    }
    void take(const json& part, const OnDelta& on_delta) {
        const auto& message = member(part, "message");
        add(wire::text_or_empty(member(message, "content")), on_delta);  // "thinking" is no text
        if (const auto& calls = member(message, "tool_calls"); calls.is_array() && !calls.empty()) has_calls_ = true;
        if (auto model = wire::text_or_empty(member(part, "model")); !model.empty()) reply_.model = std::move(model);
        if (member(part, "done") != json(true)) return;
        ended_ = true;
        reply_.usage.prompt_tokens = wire::count_or_zero(member(part, "prompt_eval_count"));
        reply_.usage.completion_tokens = wire::count_or_zero(member(part, "eval_count"));
        const auto& reason = member(part, "done_reason");
        if (has_calls_) reply_.finish = FinishReason::tool_calls;
        else if (reason.is_null() || reason == "stop") reply_.finish = FinishReason::stop;  // old ones give no reason
        else if (reason == "length") reply_.finish = FinishReason::length;
        else reply_.finish = FinishReason::unknown;
    }
    net::LineReader lines_;
    bool has_calls_ = false;
};
std::unique_ptr<ReplyReader> make_reader(const ChatRequest& request, const Secret& key) {
    return std::make_unique<Reader>(request, key);
}
}

const Protocol ollama_chat{"ollama",
                           [](const std::string&, bool) { return std::string("api/chat"); },
                           bearer,
                           {},
                           {"OLLAMA_API_KEY",
                            "load it with `ollama pull`, or see `ollama list` for the models there are",
                            "start it with `ollama serve`, or give its address by --base-url or OLLAMA_HOST"},
                           write_request,
                           make_reader};
}
