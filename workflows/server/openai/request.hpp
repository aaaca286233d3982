// Reads the bodies of POST /v1/chat/completions and POST /v1/responses: the workflow and its input.
//
//     auto body = parse_json(text, {.bytes = 8 << 20, .depth = 64});
//     auto request = parse_chat_request(body, models);                 // or parse_responses_request
//     auto run = entry.run(here, request.input, options);
//
// The last message has to be the user's. It becomes the input, and the messages before it `earlier`. System and
// developer messages, and `instructions`, join `instructions`: agents have their own prompt, so the caller decides
// whether to use them. Pictures, sound and files are refused in the last message, and become "[picture]", "[sound]",
// "[video]" or "[file]" in earlier ones. Fields that would change the answer, and that a workflow cannot follow, are
// refused too: several choices, a JSON response format, a required tool call, an earlier response by its id. The
// caller's other tools are accepted and never called, since an agent has its own; messages about them are left out.
// Sampling, lengths, stop words and unknown keys have no effect, but known keys need the right types.
// All errors are OpenaiRefusal with the name of the field, for any JSON. Any thread may call these functions.
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
    std::string question;  // the text of the last message
    std::vector<OpenaiMessage> earlier;
    std::string instructions;
    std::string conversation;  // metadata.conversation_id, or a response's conversation; may be empty
    bool stream = false;
    bool include_usage = false;  // stream_options.include_usage
};
OpenaiRequest parse_chat_request(const nlohmann::json& body, const std::vector<OpenaiModel>&);
OpenaiRequest parse_responses_request(const nlohmann::json& body, const std::vector<OpenaiModel>&);
}
