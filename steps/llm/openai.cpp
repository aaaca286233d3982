#include "steps/llm/openai.hpp"
#include "engine/net/sse.hpp"
#include "engine/utf8.hpp"
#include "steps/llm/wire.hpp"

namespace weft::llm {
namespace {
using wire::json;
using wire::member;

const char* role_name(Role role) {
    switch (role) {
    case Role::system: return "system";
    case Role::assistant: return "assistant";
    case Role::user:
    case Role::tool: break;  // the role "tool" demands the id of a native tool call, which a textual one does not have
    }
    return "user";
}
// Models that reason before they answer refuse `stop` and `max_tokens`; the reader stops by itself.
bool is_reasoning_model(std::string_view model) {
    for (std::string_view prefix : {"o1", "o3", "o4", "gpt-5"})
        if (model.substr(0, prefix.size()) == prefix) return true;
    return false;
}
std::string write_request(const ChatRequest& request, const std::string& model, bool stream) {
    json body = {{"model", model}, {"messages", json::array()}};
    for (const auto& message : request.messages)
        body["messages"].push_back({{"role", role_name(message.role)}, {"content", message.content}});
    if (!request.tools.empty()) body["tools"] = wire::function_tools(request.tools);
    const bool reasoning = is_reasoning_model(model);
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
    return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

FinishReason finish_of(const std::string& name) {
    if (name == "stop") return FinishReason::stop;
    if (name == "length") return FinishReason::length;
    if (name == "tool_calls" || name == "function_call") return FinishReason::tool_calls;
    if (name == "content_filter") return FinishReason::refused;
    return FinishReason::unknown;
}

class Reader final : public ReplyReader {
public:
    using ReplyReader::ReplyReader;

private:
    enum class Form { unknown, stream, document };

    void read(std::string_view bytes, const OnDelta& on_delta) override {
        if (form_ == Form::unknown) {  // the first byte that is not blank tells one from the other
            const auto at = bytes.find_first_not_of(" \t\r\n");
            if (at == std::string_view::npos) return;
            bytes.remove_prefix(at);
            form_ = bytes.front() == '{' ? Form::document : Form::stream;
        }
        if (form_ == Form::document) {
            document_ += bytes;
            return;
        }
        events_.feed(bytes);
        take_events(on_delta);
    }
    void read_rest(const OnDelta& on_delta) override {
        if (form_ == Form::document) {
            const auto body = wire::parse(document_, key_);
            note(body);
            take_choice(body, "message", on_delta);
            if (!has_choice_) throw broken("sent a reply without choices");
            ended_ = true;
            return;
        }
        events_.finish();
        take_events(on_delta);
        // Some servers leave out [DONE]; a reason to finish is an end just as well.
        if (!done() && has_finish_) ended_ = true;
    }
    void take_events(const OnDelta& on_delta) {
        while (!done()) {
            const auto event = events_.next();
            if (!event) return;
            if (event->data == "[DONE]") {
                if (!has_choice_) throw broken("sent a reply without choices");
                if (!has_finish_) reply_.finish = FinishReason::unknown;
                ended_ = true;
            } else if (!event->data.empty()) {
                const auto chunk = wire::parse(repair_utf8(event->data), key_);
                note(chunk);
                take_choice(chunk, "delta", on_delta);
            }
        }
    }
    void note(const json& body) {
        if (const auto& error = member(body, "error"); !error.is_null())
            throw judge_error_object(error, openai_chat.hints, key_);
        if (const auto& usage = member(body, "usage"); usage.is_object()) {
            reply_.usage.prompt_tokens = wire::count_or_zero(member(usage, "prompt_tokens"));
            reply_.usage.completion_tokens = wire::count_or_zero(member(usage, "completion_tokens"));
        }
        if (auto model = wire::text_or_empty(member(body, "model")); !model.empty()) reply_.model = std::move(model);
    }
    void take_choice(const json& body, const char* name, const OnDelta& on_delta) {
        const auto& choices = member(body, "choices");
        if (!choices.is_array()) return;
        for (const auto& choice : choices) {
            if (wire::count_or_zero(member(choice, "index")) != 0) continue;  // we ask for one
            has_choice_ = true;
            const auto& message = member(choice, name);
            add(wire::content_text(member(message, "content")), on_delta);
            if (const auto refusal = wire::text_or_empty(member(message, "refusal")); !refusal.empty()) {
                refused_ = true;
                add(refusal, on_delta);
            }
            const auto& finish = member(choice, "finish_reason");
            if (finish.is_string() && !finish.get_ref<const std::string&>().empty()) {
                has_finish_ = true;
                reply_.finish = finish_of(finish.get<std::string>());
            } else if (!has_finish_) {
                reply_.finish = FinishReason::unknown;
            }
            if (refused_) reply_.finish = FinishReason::refused;
            return;
        }
    }

    net::SseParser events_;
    std::string document_;
    Form form_ = Form::unknown;
    bool has_choice_ = false, has_finish_ = false, refused_ = false;
};
std::unique_ptr<ReplyReader> make_reader(const ChatRequest& request, const Secret& key) {
    return std::make_unique<Reader>(request, key);
}
}

const Protocol openai_chat{"openai",
                           [](const std::string&, bool) { return std::string("chat/completions"); },
                           bearer,
                           {},
                           {"OPENAI_API_KEY", "check the model's name, and the base URL, which mostly ends in /v1",
                            "check the base URL, and that the server runs"},
                           write_request,
                           make_reader};
}
