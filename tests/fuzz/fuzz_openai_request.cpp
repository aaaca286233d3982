// Any bytes as the body of a request are accepted, or refused with a status and a body in JSON; and the request's text
// returns whole in answers and streams.
#include "engine/json/parse.hpp"
#include "workflows/server/openai/chat.hpp"
#include "workflows/server/openai/request.hpp"
#include "workflows/server/openai/responses.hpp"
#include <cstdint>
#include <cstdlib>

namespace {
using namespace weft;
using namespace weft::server;

void demand(bool holds) {
    if (!holds) std::abort();
}
/// Returns the text in the events of a stream, by the name of its key.
std::string streamed(const std::string& stream, const char* key) {
    std::string text;
    for (std::size_t at = 0; (at = stream.find("data: ", at)) != std::string::npos;) {
        const auto end = stream.find("\n\n", at);
        demand(end != std::string::npos);
        const auto data = std::string_view(stream).substr(at + 6, end - at - 6);
        at = end;
        if (data == "[DONE]") continue;
        const auto event = nlohmann::json::parse(data);
        if (event.value("type", "") == "response.output_text.delta") text += event["delta"].get<std::string>();
        else if (event.contains("choices") && !event["choices"].empty())
            text += event["choices"][0]["delta"].value(key, "");
    }
    return text;
}
void answer(const OpenaiRequest& request) {
    const OpenaiHead head = {"1", request.model->id, 1};
    ChatStream chat(head, request.include_usage);
    auto chunks = chat.piece(request.question);
    chunks += chat.finish(OpenaiFinish::stop, {});
    demand(streamed(chunks, "content") == request.question);
    ResponsesStream response(head);
    auto events = response.piece(request.question);
    events += response.finish(OpenaiFinish::length, {});
    demand(streamed(events, "delta") == request.question);
    const OpenaiAnswer whole = {request.question, OpenaiFinish::stop, {}};
    demand(nlohmann::json::parse(chat_completion(head, whole))["choices"][0]["message"]["content"] == request.question);
    demand(nlohmann::json::parse(response_json(head, whole))["output"][0]["content"][0]["text"] == request.question);
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto models = openai_models(catalog::entries());
    nlohmann::json body;
    try {
        body = parse_json({reinterpret_cast<const char*>(data), size}, {.bytes = 1 << 20, .depth = 64});
    } catch (const Error&) { return 0; }
    for (auto* parse : {parse_chat_request, parse_responses_request}) {
        try {
            const auto request = parse(body, models);
            demand(request.model && request.input.is_object());
            answer(request);
        } catch (const OpenaiRefusal& refusal) {
            demand(refusal.error().status == 400 || refusal.error().status == 404);
            demand(nlohmann::json::parse(openai_body(refusal.error()))["error"].size() == 4);
        }
    }
    return 0;
}
