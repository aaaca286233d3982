// Reads the bodies of POST /v1/chat/completions and POST /v1/responses: which workflow is meant, and what it is given.
//
//     auto body = parse_json(text, {.bytes = 8 << 20, .depth = 64});
//     auto request = parse_chat_request(body, models);                 // or parse_responses_request
//     auto run = entry.run(here, request.input, options);
//
// The last message has to be the user's; it becomes the input, and what stands before it `earlier`. System and
// developer messages, and `instructions`, are told apart in `instructions`: agents have a prompt of their own, so the
// caller decides whether to use them. Text only: pictures, sound and files are refused in the last message, and are
// "[picture]", "[sound]", "[video]" or "[file]" in earlier ones. Whatever would change the
// answer in a way that a workflow cannot follow is refused too, rather than silently not done: more than one choice, a
// JSON response format, a tool that must be called, an earlier response by its id. The caller's tools are else taken
// and not called, since an agent has its own; messages about them are left out. Sampling, lengths, stop words and
// unknown keys are ignored, but what is known has to have its type.
// All failures are OpenaiRefusal with the name of the field; nothing else is thrown for any JSON. Any thread.
#pragma once
#include "workflows/server/openai/error.hpp"
#include "workflows/server/openai/models.hpp"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::server {
inline constexpr std::size_t max_openai_messages = 4096, max_openai_parts = 1024;
inline constexpr std::size_t max_openai_question = 1 << 20, max_openai_text = 16 << 20;  // bytes

struct OpenaiMessage {
    std::string role, text;  // user or assistant
};
struct OpenaiRequest {
    const OpenaiModel* model = nullptr;
    nlohmann::json input;  // makes the workflow's start event
    std::string question;  // the last message, as it was sent
    std::vector<OpenaiMessage> earlier;
    std::string instructions;
    std::string conversation;  // metadata.conversation_id, or conversation of a response; empty: none was named
    bool stream = false;
    bool include_usage = false;  // stream_options.include_usage
};
OpenaiRequest parse_chat_request(const nlohmann::json& body, const std::vector<OpenaiModel>&);
OpenaiRequest parse_responses_request(const nlohmann::json& body, const std::vector<OpenaiModel>&);
}
