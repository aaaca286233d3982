// All chunks of an answer have one id, time and model. If the caller asked for `usage`, the member is null in all
// chunks but the last.
#include "workflows/server/openai/chat.hpp"
#include "engine/json/line.hpp"
#include "workflows/server/openai/json.hpp"

namespace weft::server {
namespace {
const char* finish_name(OpenaiFinish finish) { return finish == OpenaiFinish::length ? "length" : "stop"; }
OrderedJson chat_usage(const models::Usage& usage) {
    OrderedJson json;
    json["prompt_tokens"] = usage.prompt_tokens;
    json["completion_tokens"] = usage.completion_tokens;
    json["total_tokens"] = usage.prompt_tokens + usage.completion_tokens;
    json["prompt_tokens_details"]["cached_tokens"] = usage.cached_tokens;
    json["prompt_tokens_details"]["cache_write_tokens"] = usage.cache_written_tokens;
    json["completion_tokens_details"]["reasoning_tokens"] = usage.reasoning_tokens;
    return json;
}
OrderedJson chat_object(const OpenaiHead& head, const char* object) {
    OrderedJson json;
    json["id"] = "chatcmpl-" + head.id;
    json["object"] = object;
    json["created"] = head.created;
    json["model"] = head.model;
    json["choices"] = OrderedJson::array();
    return json;
}
std::string chunk_line(OrderedJson chunk, bool with_usage, OrderedJson usage = nullptr) {
    if (with_usage) chunk["usage"] = std::move(usage);
    return "data: " + json_line(chunk) + "\n\n";
}
OrderedJson chunk_of(const OpenaiHead& head, OrderedJson delta, OrderedJson finish = nullptr) {
    auto chunk = chat_object(head, "chat.completion.chunk");
    OrderedJson choice;
    choice["index"] = 0;
    choice["delta"] = std::move(delta);
    choice["logprobs"] = nullptr;
    choice["finish_reason"] = std::move(finish);
    chunk["choices"].push_back(std::move(choice));
    return chunk;
}
}

std::string chat_completion(const OpenaiHead& head, const OpenaiAnswer& answer) {
    auto json = chat_object(head, "chat.completion");
    json["choices"].push_back({{"index", 0},
                               {"message", {{"role", "assistant"}, {"content", answer.text}, {"refusal", nullptr}}},
                               {"logprobs", nullptr},
                               {"finish_reason", finish_name(answer.finish)}});
    json["usage"] = chat_usage(answer.usage);
    return json_line(json);
}

std::string ChatStream::begin() {
    if (begun_ || ended_) return {};
    begun_ = true;
    return chunk_line(chunk_of(head_, {{"role", "assistant"}, {"content", ""}}), include_usage_);
}
std::string ChatStream::piece(std::string_view text) {
    if (ended_ || text.empty()) return {};
    auto out = begin();
    for_each_piece(repair_utf8(text), [&](std::string_view part) {
        OrderedJson delta;
        delta["content"] = part;
        out += chunk_line(chunk_of(head_, std::move(delta)), include_usage_);
    });
    return out;
}
std::string ChatStream::finish(OpenaiFinish finish, const models::Usage& usage) {
    if (ended_) return {};
    auto out = begin();
    ended_ = true;
    out += chunk_line(chunk_of(head_, OrderedJson::object(), finish_name(finish)), include_usage_);
    if (include_usage_) out += chunk_line(chat_object(head_, "chat.completion.chunk"), true, chat_usage(usage));
    return out + "data: [DONE]\n\n";
}
std::string ChatStream::fail(const OpenaiError& error) {
    if (ended_) return {};
    ended_ = true;
    return "data: " + openai_body(error) + "\n\n";
}
}
