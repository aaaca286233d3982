// Errors in the forms and words of many servers: overlong prompts, unreadable calls, limits, overload, and errors in
// the middle of streams.
#include "tests/steps/situations/table.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace situations;

namespace {
using nlohmann::json;
/// The forms of an error: {"error":{"message":…}}, {"error":"…"}, {"message":…}, and that of vLLM.
std::string nested(const std::string& message, const json& code = nullptr) {
    return json({{"error", {{"message", message}, {"type", "invalid_request_error"}, {"code", code}}}}).dump();
}
std::string flat(const std::string& message) { return json({{"error", message}}).dump(); }
std::string top(const std::string& message, const json& code = nullptr) {
    return json({{"message", message}, {"type", "invalid_request_error"}, {"code", code}}).dump();
}
std::string object_error(const std::string& message) {
    return json({{"object", "error"}, {"message", message}, {"type", "BadRequestError"}, {"code", 400}}).dump();
}
std::string anthropic(const std::string& message, const char* type = "invalid_request_error") {
    return json({{"type", "error"}, {"error", {{"type", type}, {"message", message}}}}).dump();
}
struct Refusal {
    const char* protocol;
    std::string name;
    int status;
    std::string document, headers = {};
};
using Refusals = std::vector<Refusal>;
Body body_of(const Refusal& one) {
    return {one.status, one.document, "Content-Type: application/json\r\n" + one.headers};
}
Body events(const std::string& bytes) { return {200, bytes, "Content-Type: text/event-stream\r\n"}; }
Reason in_a_stream(const Cell& cell) { return cell.streamed ? "" : "it is about a stream"; }
Reason with_tools_in_a_stream(const Cell& cell) { return cell.loops() ? in_a_stream(cell) : "it offers no tools"; }

/// Checks that the run ends with these words.
void check_words(const Refusals& list, const std::string& words) {
    for (const auto& one : list)
        check_all({{one.name, only(one.protocol), [one](const Cell&, const Asked&) { return body_of(one); },
                    [words](const Cell&) { return words; }}});
}
/// Fails the first request, and answers the next one.
void check_once(const Refusals& list) {
    for (const auto& one : list)
        check_all({{one.name, only(one.protocol), [one](const Cell& cell, const Asked& asked) {
                        return asked.before ? sound(cell, asked) : body_of(one);
                    }}});
}
/// Checks that the model gets a note; a plain answer, which cannot continue, is an error.
Situation unreadable(const char* protocol, const std::string& name, Served serve, Applies also = anywhere) {
    return {
        name, only(protocol, std::move(also)),
        [=](const Cell& cell, const Asked& asked) { return asked.before ? sound(cell, asked) : serve(cell, asked); },
        [](const Cell& cell) { return std::string(cell.loops() ? "" : "could not"); }};
}
}

TEST_CASE("an overlong prompt is one sentence when it is refused in any server's words") {
    const std::string inputs =
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000";
    check_words(
        {{"openai", "OpenAI", 400,
          nested("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
                 "context_length_exceeded")},
         {"openai", "vLLM", 400,
          object_error(
              "This model's maximum context length is 8192 tokens. However, your request has 8195 input tokens. "
              "Please reduce the length of the input messages. None")},
         {"openai", "vLLM, as its own error", 500,
          nested("The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 500)},
         {"openai", "SGLang", 400,
          object_error("The input (9000 tokens) is longer than the model's context length (8192 tokens).")},
         {"openai", "DeepSeek", 400,
          nested("This model's maximum context length is 65536 tokens. However, you requested 69648 tokens (69648 in "
                 "the messages, 0 in the completion). Please reduce the length of the messages or completion.")},
         {"openai", "Mistral", 400,
          object_error(
              "Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 maximum context "
              "length")},
         {"openai", "llama.cpp", 400,
          nested("the request exceeds the available context size. try increasing the context size or enable context "
                 "shift",
                 400)},
         {"openai", "LM Studio", 400,
          flat("The number of tokens to keep from the initial prompt is greater than the context length. Try to load "
               "the "
               "model with a larger context length, or provide a shorter input")},
         {"openai", "LM Studio, later", 400,
          flat("Trying to keep the first 5126 tokens when context the overflows. However, the model is loaded with "
               "context length of only 4096 tokens, which is not enough.")},
         {"openai", "TGI", 422, json({{"error", inputs}, {"error_type", "validation"}}).dump()},
         {"openai", "Together", 422, nested(inputs)},
         {"openai", "Fireworks", 400, nested("The prompt is too long: 140000, model maximum context length: 131071")},
         {"openai", "Groq, 413", 413,
          nested("Request too large for model. Please reduce your message size and try again.", "request_too_large")},
         {"openai", "Groq", 400,
          nested("Please reduce the length of the messages or completion.", "context_length_exceeded")},
         {"openai", "xAI", 400,
          flat("This model's maximum prompt length is 131072 but the request contains 140000 tokens.")},
         {"openai", "Cerebras", 400,
          top("Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
              "context_length_exceeded")},
         {"openai", "Moonshot", 400,
          nested("Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)")},
         {"openai", "DashScope", 400,
          nested("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
                 "invalid_parameter_error")},
         {"openai", "Zhipu", 400, nested("Prompt exceeds max length", "1261")},
         {"openai", "MiniMax", 400,
          anthropic("invalid params, context window exceeds limit (2013)", "bad_request_error")},
         {"openai", "Cohere", 400,
          top("too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130000. Try using "
              "a "
              "shorter prompt")},
         {"openai", "OpenRouter", 400,
          nested("This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens "
                 "(139000 of text input, 1000 of tool input). Please reduce the length of either one.",
                 400)},
         {"openai", "GitHub Models", 413,
          nested("Request body too large for gpt-4o model. Max size: 8000 tokens.", "tokens_limit_reached")},
         {"anthropic", "Anthropic", 400, anthropic("prompt is too long: 202095 tokens > 200000 maximum")},
         {"anthropic", "Anthropic, with the reply", 400,
          anthropic(
              "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or "
              "`max_tokens` and try again")},
         {"anthropic", "Bedrock", 400, json({{"message", "Input is too long for requested model."}}).dump()},
         {"gemini", "Gemini", 400,
          nested("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 400)},
         {"ollama", "Ollama", 400, flat("prompt is too long: 9000 tokens exceeds the context length of 8192")},
         {"responses", "OpenAI", 400,
          nested("Your input exceeds the context window of this model. Please adjust your input and try again.",
                 "context_length_exceeded")}},
        "so long a conversation");
}
TEST_CASE("the model gets a note when its call could not be read, in any server's words") {
    const Refusals list = {
        {"openai", "Groq, arguments", 400, nested("Failed to parse tool call arguments as JSON", "tool_use_failed")},
        {"openai", "Groq, an unknown tool", 400,
         nested("tool call validation failed: attempted to call tool 'x' which was not in request.tools",
                "tool_use_failed")},
        {"openai", "Groq, gpt-oss", 400,
         nested("Parsing failed. The model generated output that could not be parsed. Please adjust your prompt. See "
                "'failed_generation' for more details.",
                "output_parse_failed")},
        {"openai", "llama.cpp", 500, nested("Failed to parse input at pos 12: </tool_call>", 500)},
        {"openai", "Ollama by its other address", 500,
         nested("error parsing tool call: raw='{\"e\": 6*7', err=invalid character '*' after object key:value pair")},
        {"openai", "Ollama, XML", 500, nested("XML syntax error on line 5: element <function> closed by </parameter>")},
        {"openai", "LM Studio", 400, flat("Failed to parse tool call: Unexpected end of content. ")},
        {"openai", "vLLM, gpt-oss", 500,
         nested("unexpected tokens remaining in message header: Some(\"to=functions.sum\")", 500)},
        {"openai", "behind a gateway", 400,
         json({{"error",
                {{"message", "Provider returned error"},
                 {"code", 400},
                 {"metadata", {{"raw", nested("Failed to call a function.", "tool_use_failed")}}}}}})
             .dump()},
        {"ollama", "Ollama", 500, flat("error parsing tool call: raw='{\"e\":', err=unexpected end of JSON input")}};
    for (const auto& one : list)
        check_all({unreadable(one.protocol, one.name, [one](const Cell&, const Asked&) { return body_of(one); })});

    const auto in_stream = [](const std::string& data) {
        return [=](const Cell&, const Asked&) { return events(data + "\n\ndata: [DONE]\n\n"); };
    };
    const auto ends = [=](const char* reason, const json& more = json::object()) {
        json choice = {{"index", 0}, {"delta", {{"role", "assistant"}, {"content", ""}}}, {"finish_reason", reason}};
        choice.update(more);
        return in_stream("data: " + json({{"choices", {choice}}}).dump());
    };
    const auto gemini = [](const char* reason) {
        return [=](const Cell& cell, const Asked&) {
            const auto text =
                json({{"candidates", {{{"content", json::object()}, {"finishReason", reason}, {"index", 0}}}}}).dump();
            return cell.streamed ? events("data: " + text + "\n\n") : Body{200, text};
        };
    };
    check_all({unreadable("openai", "Groq, in a stream",
                          in_stream("event: error\ndata: " + nested("Failed to call a function.", "tool_use_failed")),
                          in_a_stream),
               unreadable("openai", "LM Studio, in a stream",
                          in_stream("event: error\ndata: " +
                                    nested("Failed to parse tool call: Extra content after end of tool call")),
                          in_a_stream),
               unreadable("openai", "Gemini by its other address",
                          ends("function_call_filter: MALFORMED_FUNCTION_CALL"), with_tools_in_a_stream),
               unreadable("openai", "Gemini by OpenRouter",
                          ends("error", {{"native_finish_reason", "MALFORMED_FUNCTION_CALL"}}), with_tools_in_a_stream),
               unreadable("gemini", "MALFORMED_FUNCTION_CALL", gemini("MALFORMED_FUNCTION_CALL")),
               unreadable("gemini", "UNEXPECTED_TOOL_CALL", gemini("UNEXPECTED_TOOL_CALL"))});
}
TEST_CASE("an error has its server's words when it arrives in the middle of a stream") {
    const std::string words = "the moon is down";
    const auto data = [](const json& value) { return "data: " + value.dump() + "\n\n"; };
    const auto begun = data(
        {{"choices", {{{"index", 0}, {"delta", {{"content", "Hel"}}}, {"finish_reason", nullptr}}}}});
    const json error = {{"code", 400}, {"message", words}};
    const json ended = {{{"index", 0}, {"delta", {{"content", ""}}}, {"finish_reason", "error"}}};
    const json in_delta = {{"index", 0}, {"delta", {{"content", ""}, {"error", error}}}, {"finish_reason", "error"}};
    const json raw = {{"code", 400}, {"message", "Provider returned error"}, {"metadata", {{"raw", nested(words)}}}};
    const std::vector<std::pair<std::string, std::string>> list = {
        {"OpenRouter, at once", data({{"error", error}, {"choices", json::array()}})},
        {"OpenRouter, in the middle", begun + data({{"error", error}, {"choices", ended}})},
        {"in the delta", data({{"choices", {in_delta}}})},
        {"the reason is in metadata.raw", data({{"error", raw}, {"choices", json::array()}})},
        {"vLLM", begun + "data: " + object_error(words) + "\n\ndata: [DONE]\n\n"},
        {"vLLM, later", begun + "data: " + nested(words, 400) + "\n\ndata: [DONE]\n\n"},
        {"TGI", data({{"error", words}, {"error_type", "generation"}})},
        {"detail", data({{"detail", words}})},
        {"llama.cpp of 2025", begun + "error: " + error.dump() + "\n\n"},
        {"an event without an object", "event: error\ndata: " + words + "\n\n"},
        {"a text that is JSON", data({{"error", nested(words)}})},
        {"no stream at all", nested(words, 400)}};
    for (const auto& [name, bytes] : list)
        check_all(
            {{name, only("openai", in_a_stream), [bytes = bytes](const Cell&, const Asked&) { return events(bytes); },
              [words](const Cell&) { return std::string(words); }}});
}
TEST_CASE("a request is repeated when a server reports in its own words that it is overloaded") {
    const auto slow = nested("slow down");
    check_once(
        {{"openai", "OpenAI, tokens of a minute", 429,
          nested(
              "Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000. Please try "
              "again in 45.5s.",
              "rate_limit_exceeded")},
         {"openai", "Retry-After of a fraction", 429, slow, "Retry-After: 0.5\r\n"},
         {"openai", "Retry-After with a unit", 429, slow, "Retry-After: 3s\r\n"},
         {"openai", "retry-after-ms", 429, slow, "retry-after-ms: 1500\r\n"},
         {"openai", "OpenRouter", 429,
          json({{"error",
                 {{"message", "Provider returned error"},
                  {"code", 429},
                  {"metadata", {{"raw", "m is temporarily rate-limited upstream. Please retry shortly."}}}}}})
              .dump()},
         {"openai", "Cerebras", 429,
          top("Tokens per minute limit exceeded - too many tokens processed.", "token_quota_exceeded")},
         {"openai", "Cerebras, a queue", 503,
          top("We're experiencing high traffic right now! Please try again soon.", "queue_exceeded")},
         {"openai", "Moonshot", 429,
          nested("The engine is currently overloaded, please try again later", "engine_overloaded_error")},
         {"openai", "Zhipu", 429, nested("Rate limit reached for requests", "1302")},
         {"openai", "llama.cpp loads a model", 503, nested("Loading model", 503)},
         {"anthropic", "Anthropic", 529, anthropic("Overloaded", "overloaded_error")},
         {"anthropic", "Anthropic, with status 200", 200, anthropic("Overloaded", "overloaded_error")},
         {"gemini", "Gemini, RetryInfo", 429,
          json({{"error",
                 {{"code", 429},
                  {"message", "You exceeded your current quota. Please retry in 31.4s."},
                  {"status", "RESOURCE_EXHAUSTED"},
                  {"details", {{{"@type", "type.googleapis.com/google.rpc.RetryInfo"}, {"retryDelay", "31s"}}}}}}})
              .dump()},
         {"gemini", "Gemini", 503, nested("The model is overloaded. Please try again later.", 503)},
         {"ollama", "Ollama", 503, flat("server busy, please try again.  maximum pending requests exceeded")}});
}
