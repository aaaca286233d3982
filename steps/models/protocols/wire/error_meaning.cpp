// The words and codes come from the replies of real servers. Words are compared in lower case and without quotes. If
// code and status disagree, the code wins: Gemini sends 400 for a wrong key.
#include "steps/models/protocols/wire/error_meaning.hpp"
#include "engine/text/characters.hpp"
#include <algorithm>
#include <charconv>
#include <span>

namespace weft::models {
namespace {
using WordSpan = std::span<const char* const>;
bool any_of(WordSpan parts, const std::string& text) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const char* part) { return text.find(part) != std::string::npos; });
}
/// The number that stands right before one of these phrases; none if none does.
std::optional<double> number_before(const std::string& words, WordSpan phrases) {
    for (const char* phrase : phrases)
        for (auto at = words.find(phrase); at != words.npos; at = words.find(phrase, at + 1)) {
            auto begin = at;
            while (begin > 0 && (is_digit(words[begin - 1]) || words[begin - 1] == ',')) --begin;
            double value = 0;
            for (char c : words.substr(begin, at - begin))
                if (is_digit(c)) value = value * 10 + (c - '0');
            if (begin < at) return value;
        }
    return {};
}
std::optional<double> number_after(const std::string& words, std::string_view phrase) {
    const auto at = words.find(phrase);
    if (at == words.npos) return {};
    long long value = 0;
    const auto* begin = words.data() + at + phrase.size();
    const auto [end, error] = std::from_chars(begin, words.data() + words.size(), value);
    return error == std::errc() ? std::optional(static_cast<double>(value)) : std::nullopt;
}
bool is_key_refused(const ErrorBody& body) {
    static constexpr const char* codes[] = {"api_key_invalid", "invalid_api_key", "invalidapikey",
                                            "authentication",  "unauthenticated", "invalid_iam_token"};
    static constexpr const char* phrases[] = {"invalid api key",
                                              "incorrect api key",
                                              "api key not valid",
                                              "api key is invalid",
                                              "invalid api token",
                                              "no api key provided",
                                              "no cookie auth",
                                              "invalid x-api-key",
                                              "api key expired",
                                              "invalid credentials",
                                              "security token included in the request is invalid",
                                              "invalid subscription key"};
    return any_of(codes, body.codes) || any_of(phrases, body.words);
}
bool is_limit(const ErrorBody& body) {
    static constexpr const char* codes[] = {"rate_limit", "ratelimit",          "rate-limit",     "too_many",
                                            "throttl",    "resource_exhausted", "toomanyrequests"};
    static constexpr const char* phrases[] = {
        "rate limit",        "ratelimit",       "rate-limit", "too many requests",  "throttl",
        "requests per min",  "tokens per min",  "per minute", "quota exceeded for", "please wait before trying",
        "capacity exceeded", "error code: 1015"};
    return any_of(codes, body.codes) || any_of(phrases, body.words);
}
bool is_wrong_address(const ErrorBody& body) {
    static constexpr const char* phrases[] = {
        "unexpected endpoint", "404 page not found", "invalid url (",       "cannot post /",
        "no route matched",    "endpoint not found", "unknown request url", "unrecognized request url",
        "path not found",      "route not found",    "url not found"};
    return any_of(phrases, body.words);
}
}

bool is_out_of_money(const ErrorBody& body) {
    static constexpr const char* codes[] = {
        "insufficient_quota",    "billing",          "credit",    "spend_limit",
        "insufficient_funds",    "payment_required", "arrearage", "insufficient_balance",
        "exceeded_current_quota"};
    static constexpr const char* phrases[] = {
        "credit balance is too low",       // Anthropic
        "insufficient balance",            // DeepSeek, Moonshot
        "insufficient credit",             // OpenRouter
        "requires more credits",           // OpenRouter
        "exceeded your monthly included",  // Hugging Face
        "used all available credits",      // xAI
        "monthly spending limit",          // xAI
        "account is in good standing",     // DashScope
        "余额不足",                        // Zhipu
    };
    // Only the exact code counts: token_quota_exceeded and similar codes are limits per minute.
    if ((" " + body.codes).find(" quota_exceeded ") != std::string::npos && !body.wait) return true;
    return any_of(codes, body.codes) || any_of(phrases, body.words);
}
bool is_daily(const ErrorBody& body) {
    constexpr std::chrono::hours soon(1);
    if (body.has("perday") || body.has("per_day")) return true;
    return !(body.wait && *body.wait < soon) && (body.says("per day") || body.says("per-day"));
}
bool is_reply_too_long(const ErrorBody& body) {
    static constexpr const char* refused[] = {"max_tokens is too large", "max_completion_tokens is too large",
                                              "max_new_tokens is too large", "max_output_tokens is too large"};
    static constexpr const char* asked[] = {" in the messages",       " in your prompt", " input tokens",
                                            " tokens from the input", " inputs tokens",  " + "};
    static constexpr const char* wanted[] = {" in the completion",         " for the completion", " output tokens",
                                             " tokens for the completion", " max_new_tokens",     " > "};
    if (any_of(refused, body.words)) return true;
    const auto prompt = number_before(body.words, asked), reply = number_before(body.words, wanted);
    return prompt && reply && *reply > *prompt;
}
bool is_too_long(const ErrorBody& body) {
    static constexpr const char* codes[] = {"context_length",          "exceed_context",        "tokens_limit_reached",
                                            "context_window_exceeded", "contextwindowexceeded", "prompt_too_long"};
    static constexpr const char* phrases[] = {
        "context length",                    // OpenAI, vLLM, SGLang, DeepSeek, Mistral, LM Studio, Ollama, Together
        "context size",                      // llama.cpp
        "context window",                    // OpenAI, MiniMax, llama-cpp-python
        "context limit",                     // Anthropic, Bedrock
        "context_length_exceeded",           // wrapped by gateways
        "prompt is too long",                // Anthropic, Fireworks
        "prompt too long",                   // Ollama
        "prompt length",                     // xAI, TabbyAPI
        "prompt token count",                // GitHub Copilot
        "prompt exceeds",                    // Zhipu
        "超长",                              // Zhipu
        "input is too long",                 // Bedrock
        "input length",                      // DashScope, Poolside
        "input token count",                 // Gemini, Vertex
        "input tokens exceed",               // Azure
        "maximum number of tokens allowed",  // Gemini
        "maximum allowed content length",    // Databricks
        "maximum model length",              // vLLM
        "max_seq_len",                       // TabbyAPI
        "max sequence length",               // SambaNova
        "max_new_tokens must be",            // TGI
        "inputs must have less than",        // TGI
        "too many tokens",                   // Cohere
        "more than max tokens allowed",      // Zhipu
        "model token limit",                 // Moonshot
        "token limit exceeded",
        "request body too large",     // GitHub Models
        "payload size exceeds",       // Gemini
        "exceeds the maximum size",   // Anthropic
        "reduce the length",          // Groq
        "reduce your prompt",         // OpenAI
        "at least 1, got -",          // vLLM: no room for a reply
        "total length of input",      // SiliconFlow
        "contextwindowexceeded",      // LiteLLM
        "exceed_context_size",        // llama.cpp
        "context_window_exceeded",    // wrapped by gateways
        "max message tokens",         // Volcengine
        "submitted was too long",     // OpenAI
        "context shift is disabled",  // llama.cpp
        "prompt tokens too long",     // Qianfan
        "total tokens limit",         // watsonx
        "input tokens limit",         // Databricks
        "maximum message length",
    };
    if (is_reply_too_long(body)) return false;
    if (body.says("string too long")) return !body.says("id: string too long");  // ids of calls have a bound, too
    if (body.has("request_too_large") || any_of(codes, body.codes)) return true;
    if (body.says("request too large") && !body.says("try again in")) {
        const auto limit = number_after(body.words, "limit "), wanted = number_after(body.words, "requested ");
        return !limit || !wanted || *wanted > *limit;  // waiting would never help
    }
    static constexpr const char* exceeded[] = {" exceeded"};
    if (body.says("max tokens of ") && number_before(body.words, exceeded)) return !is_limit(body);  // Snowflake
    return !is_limit(body) && any_of(phrases, body.words);
}
bool is_unreadable(const ErrorBody& body) {
    static constexpr const char* codes[] = {"tool_use_failed", "json_validate_failed", "malformed_function_call"};
    static constexpr const char* phrases[] = {
        "failed to call a function",                      // Groq
        "failed_generation",                              // Groq
        "tool call validation failed",                    // Groq
        "failed to parse tool call",                      // llama.cpp, Groq
        "failed to parse input at pos",                   // llama.cpp
        "model produced output that does not match",      // llama.cpp
        "error parsing tool call",                        // Ollama
        "xml syntax error on line",                       // Ollama, for Qwen's calls
        "invalid sequence as part of tooluse",            // Bedrock
        "failed to parse fc related info",                // SGLang
        "list[function-wrap",                             // vLLM, when a call is required
        "unexpected tokens remaining in message header",  // vLLM, for gpt-oss
        "while expecting start token",                    // vLLM, for gpt-oss
        "failed to generate tool",                        // Cerebras
        "unknown role: ",                                 // vLLM, for gpt-oss
        "unexpected tool call:",                          // gpt-oss
        "harmony parser",                                 // Ollama, for gpt-oss
        "now finding less tool calls",                    // llama.cpp
        "could not parse tool call",
        "unable to parse tool call",
        "invalid tool call generated",
        "malformed function call",
        "parsed as a tool call",
        "parse function call from",
        "generated invalid tool call",
        "failed to parse json: unexpected end",  // Ollama
        "[json.exception.parse_error",           // llama.cpp
    };
    return any_of(codes, body.codes) || any_of(phrases, body.words);
}
bool lacks_tools(const ErrorBody& body) {
    static constexpr const char* phrases[] = {"not support tools",
                                              "not support tool use",
                                              "not support tool call",
                                              "not support function",
                                              "not support parameters: [tools",  // LiteLLM
                                              "doesnt support tool",
                                              "tools param requires --jinja",
                                              "unsupported param: tools",  // llama.cpp
                                              "enable-auto-tool-choice",
                                              "endpoints found that support tool",
                                              "tools is not supported",
                                              "tools are not supported",
                                              "tools not supported",
                                              "tool use is not supported",
                                              "tool calling is not supported",
                                              "tool calls are not supported",
                                              "tools: extra inputs are not permitted",
                                              "tools: extra fields not permitted",
                                              "function calling is not"};
    return any_of(phrases, body.words);
}
bool is_filtered(const ErrorBody& body) {
    static constexpr const char* codes[] = {"content_filter",         "content_policy", "responsibleaipolicy",
                                            "data_inspection_failed", "contentfilter",  "prohibited_content",
                                            "datainspectionfailed"};
    static constexpr const char* phrases[] = {
        "content exists risk",        // DeepSeek
        "considered high risk",       // Moonshot
        "content filtering policy",   // Anthropic
        "content management policy",  // Azure
        "violates usage guidelines",  // xAI
        "inappropriate content",      // DashScope
        "sensitive words detected",   // one-api
        "不安全或敏感内容",           // Zhipu
        "requires moderation",        // OpenRouter
    };
    return any_of(codes, body.codes) || any_of(phrases, body.words);
}
bool is_overloaded(const ErrorBody& body) {
    static constexpr const char* codes[] = {"overloaded", "slow_down"};
    return any_of(codes, body.codes) || body.says("overloaded");
}
bool is_model_missing(const ErrorBody& body) {
    return !is_wrong_address(body) && (body.says("model") || body.says("deployment"));
}
unsigned meant_status(unsigned status, const ErrorBody& body) {
    static constexpr std::pair<const char*, unsigned> known[] = {
        {"overloaded", 529},          {"permission", 403}, {"not_found", 404},    {"request_too_large", 413},
        {"timeout_error", 504},       {"api_error", 500},  {"server_error", 500}, {"unavailable", 503},
        {"failed_precondition", 400}, {"invalid", 400}};
    const bool is_sure = status != 0 && status != 400 && status < 500;  // the status is specific
    if (!is_sure || status == 403 || status == 422) {
        if (is_key_refused(body)) return 401;
    }
    if (status == 403 && is_limit(body)) return 429;                         // GitHub
    if (status == 424 && body.says("received server error (5")) return 503;  // SageMaker's backend
    if (status == 498 && is_limit(body)) return 529;                         // Groq's flex tier
    if (is_sure) return status == 413 && is_limit(body) && !is_too_long(body) ? 429 : status;
    if (is_unreadable(body) && status) return status;
    if (is_limit(body) && !is_too_long(body) && !is_overloaded(body)) return 429;
    if (is_wrong_address(body)) return 404;
    if (body.status && (status == 0 || (status >= 500 && body.status < 500))) return body.status;
    if (status) return status;
    if (is_out_of_money(body)) return 402;
    if (is_model_missing(body) && (body.says("does not exist") || body.says("not found"))) return 404;
    for (const auto& [code, number] : known)
        if (body.has(code)) return number;
    return is_too_long(body) || is_reply_too_long(body) || lacks_tools(body) || is_filtered(body) ? 400 : 0;
}
}
