// Refusals of servers, word for word from public reports: each row names its server. A row is tested as the body of an
// error status, and as a document with status 200.
#include "steps/models/protocols/wire/error_body.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include "steps/models/secret.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {
const ProviderHints hints{"OPENAI_API_KEY", "check the name", "start it", "check the address"};
Fault of(unsigned status, std::string_view body) {
    return judge(ResponseHead{.status = status, .body = body}, hints, Secret(), {});
}
std::string error(const std::string& message) { return json{{"error", {{"message", message}}}}.dump(); }
std::string meaning(const Fault& fault) {
    const std::string said = fault.what();
    if (fault.unreadable) return "unreadable";
    if (fault.too_long) return "too long";
    if (fault.no_tools) return "no tools";
    if (fault.kind == FaultKind::throttled) return "limit";
    if (fault.kind == FaultKind::refused) return "filtered";
    for (const char* one : {"no credit", "no quota left", "needs a key", "as long a reply"})
        if (said.find(one) != std::string::npos) return one;
    if (said.find("check the address") != std::string::npos) return "address";
    if (said.find("check the name") != std::string::npos) return "no model";
    return fault.overloaded ? "overloaded" : fault.kind == FaultKind::transient ? "failed" : "refused";
}
struct Row {
    const char* meaning;
    unsigned status;
    std::string body;
    bool alone = true;  // has the same meaning with status 200
};
void check(const std::vector<Row>& rows) {
    for (const auto& row : rows) {
        CAPTURE(row.body);
        CHECK(meaning(of(row.status, row.body)) == row.meaning);
        if (row.alone) CHECK(meaning(judge_text(row.body, hints, Secret())) == row.meaning);
    }
}
}

TEST_CASE("an overlong prompt is recognised in the words of every server") {
    for (
        const char* words : {
            "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "prompt is too long: 213462 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
            "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).",
            "Unable to submit request because the input token count is 1050000 but model only supports up to 1048576.",
            "Request payload size exceeds the limit: 20971520 bytes.",
            "max_tokens must be at least 1, got -123.",                   // vLLM
            "The total length of input messages exceeds the limit",       // SiliconFlow
            "litellm.ContextWindowExceededError: the input is too long",  // LiteLLM
            "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576",
            "Input is too long for requested model.",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "Please reduce the length of the messages or completion.",
            ("This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 "
             "of text input, 1000 in the output)."),
            "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
            "Input length (265330) exceeds model's maximum context length (262144).",
            "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
            "the request exceeds the available context size, try increasing it",
            ("Trying to keep the first 5241 tokens when context the overflows. However, the model is loaded with "
             "context "
             "length of only 4096 tokens, which is not enough."),
            "The number of tokens to keep from the initial prompt is greater than the context length.",
            "prompt token count of 140000 exceeds the limit of 128000",
            "invalid params, context window exceeds limit (2013)",
            "Invalid request: Your request exceeded model token limit: 8192 (requested: 10000)",
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            "prompt too long; exceeded max context length by 12 tokens",
            ("This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your "
             "prompt "
             "contains at least 262145 input tokens, for a total of at least 262145 tokens."),
            ("This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the "
             "messages, 10000 in the completion). Please reduce the length of the messages or completion."),
            "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
            "Range of input length should be [1, 30720]",
            "Prompt exceeds max length",
            "tokens in request more than max tokens allowed",
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens.",
            "Request body too large for gpt-4o model. Max size: 8000 tokens.",
            ("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens "
             "and "
             "200 `max_new_tokens`"),
            "Prompt length 5000 is greater than max_seq_len 4096",
            "context shift is disabled",
            "Prompt tokens too long",
            "max tokens of 200000 exceeded",
            "the number of input tokens 9000 cannot exceed the total tokens limit 8192",
            "Input tokens limit exceeded",
            "Maximum message length exceeded",
            ("litellm.BadRequestError: OpenAIException - "
             "{\"error\":{\"message\":\"x\",\"code\":\"context_length_exceeded\"}}"),
        })
        check({{"too long", 400, error(words)}, {"too long", 500, json{{"detail", words}}.dump()}});
    check({
        {"too long", 400, R"({"error":{"code":400,"type":"exceed_context_size_error","message":"x","n_ctx":4096}})"},
        {"too long", 400, R"({"error":{"code":"prompt_too_long","message":"x"}})"},
        {"refused", 400, error("max_tokens must be less than or equal to 4096"), false},
        {"refused", 400, error("max tokens of the reply must be a number"), false},
        {"limit", 429, error("Input tokens limit exceeded: 30000 tokens per minute"), false},
        {"too long", 413, R"({"error":{"code":"tokens_limit_reached","message":"x"}})"},
        {"too long", 413, "", false},
        // Groq and OpenAI: no wait makes room for a request that is larger than a minute's limit
        {"too long", 413,
         error("Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000, "
               "please reduce your message size and try again.")},
    });
}
TEST_CASE("an error blames the room for the reply when it is larger than the prompt") {
    for (
        const char* words : {
            ("'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context length is 4096 "
             "tokens and your request has 500 input tokens (20000 > 4096 - 500)."),
            ("This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the "
             "messages, "
             "6048 in the completion). Please reduce the length of the messages or completion."),
            ("Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total "
             "of "
             "140000 tokens: 8000 tokens from the input messages and 132000 tokens for the completion."),
            ("input length and `max_tokens` exceed context limit: 90402 + 116650 > 204648, decrease input length or "
             "`max_tokens` and try again"),
            "max_tokens is too large: 20000. This model supports at most 16384 completion tokens",
        }) {
        check({{"as long a reply", 400, error(words)}});
        CHECK(of(400, error(words)).refusal.find("max_tokens") != std::string::npos);
    }
}
TEST_CASE("limits, loads, keys and credit are known in the words of every server") {
    check({
        {"limit", 413,
         error("Request too large for model `x` on tokens per minute (TPM): Limit 6000, Used 5500, Requested "
               "900, please try again in 4s.")},
        {"limit", 429, R"({"message":"Too many tokens, please wait before trying again."})", false},  // Bedrock
        {"limit", 400,
         R"({"__type":"ThrottlingException","message":"Too many tokens, please wait before trying again."})"},
        {"limit", 500,
         R"({"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"error code: 1015"}}})"},
        {"limit", 429, R"({"object":"error","message":"Service tier capacity exceeded for this model."})"},  // Mistral
        {"limit", 429, R"({"detail":"Rate limit exceeded: 10 per 1 minute"})"},
        {"limit", 403,
         error("You have exceeded a secondary rate limit. Please wait a few minutes before you try again."),
         false},  // GitHub
        {"refused", 403, error("Your plan does not have this model"), false},
        {"overloaded", 498,
         R"({"error":{"message":"Flex tier capacity exceeded. Please try again later",)"
         R"("code":"capacity_exceeded"}})",
         false},  // Groq
        {"refused", 498, error("no such token"), false},
        {"failed", 424, R"({"message":"Received server error (503) from primary and could not load the response"})",
         false},  // SageMaker
        {"limit", 429, R"({"errors":["Too many requests"]})"},
        {"overloaded", 529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"},
        {"overloaded", 503, error("The model is overloaded. Please try again later.")},                     // Gemini
        {"failed", 503, R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})"},  // llama.cpp
        {"failed", 503, R"({"error":"server busy, please try again. maximum pending requests exceeded"})"},  // Ollama
        {"needs a key", 400,
         R"({"code":"Client specified an invalid argument","error":"Incorrect API key provided: x"})"},
        {"needs a key", 400, R"([{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}])"},
        {"needs a key", 403, R"({"code":"InvalidApiKey","message":"Invalid API-key provided."})", false},  // DashScope
        {"no credit", 402, R"({"error":{"message":"Insufficient Balance","type":"unknown_error"}})"},      // DeepSeek
        {"no credit", 429,
         R"({"error":{"type":"exceeded_current_quota_error","message":"Your account is suspended"}})"},
        {"no credit", 429, R"({"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}})"},  // Zhipu
        {"no credit", 400,
         R"({"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."})"},
        {"no credit", 403,
         R"({"error":"Your team has either used all available credits or reached its monthly spending limit."})"},
        {"no credit", 402, R"({"error":"You have exceeded your monthly included credits for Inference Providers."})"},
        {"filtered", 400, R"({"error":{"message":"Content Exists Risk","type":"invalid_request_error"}})"},  // DeepSeek
        {"filtered", 400, R"({"error":{"code":"data_inspection_failed","message":"x"}})"},  // DashScope
        {"filtered", 400,
         error("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.")},
        {"no tools", 400, error("registry.ollama.ai/library/x does not support tools")},
        {"no tools", 500,
         R"({"error":{"code":500,"message":"Unsupported param: tools","type":"server_error"}})"},  // llama.cpp
        {"no tools", 422,
         R"({"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]})"},
        {"no tools", 400,
         error("litellm.UnsupportedParamsError: x does not support parameters: ['tools'], for model=y.")},
        {"no model", 404, error("The model `x` does not exist or you do not have access to it.")},
        {"no model", 404,
         R"({"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}})"},
        {"address", 404, R"({"detail":"Not Found"})", false},  // vLLM without /v1
        {"address", 404, "404 page not found"},                // Ollama
        {"address", 404, "", false},
        {"address", 405, R"({"detail":"Method Not Allowed"})", false},
        {"address", 400, R"x({"error":"Unexpected endpoint or method. (POST /chat/completions)"})x"},  // LM Studio
        {"address", 404, error("Invalid URL (POST /v1/v1/chat/completions)")},
    });
}
TEST_CASE("an error counts as the model's when its server could not read the call") {
    check({
        {"unreadable", 400,
         R"({"error":{"message":"Failed to call a function. Please adjust your prompt.","code":"tool_use_failed"}})"},
        {"unreadable", 400, error("tool call validation failed: parameters for tool x did not match schema")},
        {"unreadable", 400,
         R"({"error":{"message":"Failed to generate JSON.","code":"json_validate_failed"}})"},  // Groq
        {"unreadable", 500, R"({"error":"error parsing tool call: raw='{\"a\": 6*7', err=invalid character '*'"})"},
        {"unreadable", 500, error("XML syntax error on line 6: element <function> closed by </parameter>")},  // Ollama
        {"unreadable", 500, error("Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]")},
        {"unreadable", 500,
         R"({"error":{"code":500,"message":"Failed to parse input at pos 12: </tool_call>","type":"server_error"}})"},
        {"unreadable", 424,
         R"({"message":"Model produced invalid sequence as part of ToolUse. Please refer to the guide."})"},
        {"unreadable", 400,
         R"({"object":"error","message":"Failed to parse fc related info to json format!"})"},             // SGLang
        {"unreadable", 400, error("Failed to generate tool_calls. Please adjust your prompt.")},           // Cerebras
        {"unreadable", 400, error("Unknown role: assistant<|channel|>commentary")},                        // vLLM
        {"unreadable", 500, R"({"error":"harmony parser: no reverse mapping found for function name"})"},  // Ollama
        {"unreadable", 500, error("Invalid diff: now finding less tool calls!")},                          // llama.cpp
        {"refused", 400, error("Failed to parse tools: unknown type"), false},  // llama.cpp of the request
        {"refused", 400, error("Could not parse the JSON body of your request."), false},
    });
    const auto fault = of(400, R"({"error":{"message":"Failed to call a function. Please adjust your prompt.",
        "code":"tool_use_failed","failed_generation":"<function=add{\"a\":6*7}</function>"}})");
    CHECK(std::string(fault.what()) == "Failed to call a function. Please "
                                       "adjust your prompt. It was: <function=add{\"a\":6*7}</function>");
}
TEST_CASE("the sentence of a server is found in every form of an error") {
    for (const auto& [body, sentence] : {
             std::pair<std::string, const char*>{R"({"error":"a b","error_type":"validation"})", ": a b;"},  // TGI
             {R"({"base_resp":{"status_code":1004,"status_msg":"a b"}})", ": a b"},                          // MiniMax
             {R"({"error":"Internal server error","details":"a b"})", ": Internal server error: a b"},
             {R"({"error_type":"x","error_message":"a b"})", ": a b;"},
             {R"({"object":"error","message":"a b","type":"BadRequestError","code":400})", ": a b;"},  // vLLM
             {R"({"error":"Bad Request","message":"a b","statusCode":400})", ": Bad Request: a b;"},
             {R"({"detail":"a b"})", ": a b;"},
             {R"({"detail":{"error":"a b"}})", ": a b;"},
             {R"({"detail":[{"loc":["body","messages",0,"content"],"msg":"a b"},{"loc":["body","x"],"msg":"c"}]})",
              ": body.messages.0.content: a b; body.x: c;"},
             {R"({"object":"error","message":{"detail":[{"loc":["body","stop"],"msg":"a b"}]}})", ": body.stop: a b;"},
             {R"({"success":false,"errors":[{"code":7003,"message":"a b"}],"messages":[],"result":null})", ": a b;"},
             {R"({"errors":["a b","c"]})", ": a b; c;"},
             {R"({"message":"Bad","errors":[{"path":["messages",0,"x"],"message":"a b"}]})",
              ": Bad: messages.0.x: a b;"},                                                           // zod
             {R"({"error":{"message":"a b","errors":[{"message":"a b","reason":"x"}]}})", ": a b;"},  // Google
             {R"({"error":"Not Found","message":"a b","path":"/v1/x"})", ": Not Found: a b;"},        // Spring
             {R"([{"error":{"message":"a b"}}])", ": a b;"},
             {R"({"error":"{\"error\":{\"message\":\"a b\"}}"})", ": a b;"},
             {R"({"error":{"message":"{\"detail\":\"a b\"}"}})", ": a b;"},
             {R"({"error":{"message":"Provider returned error",)"
              R"("metadata":{"raw":"{\"error\":{\"message\":\"a b\"}}"}}})",
              ": Provider returned error: a b;"},
             {R"({"error_code":"BAD_REQUEST","message":"a b"})", ": a b;"},  // Databricks
             {R"({"title":"Bad","detail":"a b","status":400})", ": a b;"},   // RFC 7807, Replicate
             {R"({"Message":"a b"})", ": a b;"},                             // Bedrock
             {R"({"fault":{"faultstring":"a b"}})", ": a b;"},               // Apigee
             {R"({"error":["a b"]})", ": a b;"},
             {"event: error\ndata: {\"message\":\"a b\"}\n\n", ": a b;"},
             {"error: {\"message\":\"a b\"}\n\n", ": a b;"},
             {"{\"error\":\"a b\"}\n{\"more\":1}", ": a b;"},
             {"a b", ": a b;"},
         }) {
        const auto& shown = body;
        CAPTURE(shown);
        const std::string said = of(400, body).what();
        CHECK_MESSAGE(said.find("(400)" + std::string(sentence)) != std::string::npos, said);
    }
}
TEST_CASE("an error is quoted when it is nested without end") {
    for (const std::string open : {"[", "{\"error\":"}) {
        std::string deep;
        for (int i = 0; i < 200'000; ++i) deep += open;
        CHECK(read_error_body(deep, Secret()).text.starts_with(open));
        CHECK(read_error_object(deep, Secret()).text.starts_with(open));
    }
}
TEST_CASE("a document of status 200 is an error when it has an error and no reply") {
    const auto fails = [](const char* text) {
        try {
            throw_if_error(json::parse(text), hints, Secret());
            return false;
        } catch (const Fault&) { return true; }
    };
    for (const char* text :
         {R"({"error":"x"})", R"({"error":{"code":429},"choices":[{"message":{"content":null}}]})",
          R"({"object":"error","message":"x"})", R"({"type":"error","message":"x"})", R"({"detail":"x"})",
          R"({"message":"no Route matched with those values"})", R"({"success":false,"errors":[]})",
          R"({"code":"rate_limit_daily","message":"Error code: 429 - ..."})",  // XpressAI/xaibo PR #36
          R"({"message":{"detail":"x"}})", R"([{"error":{"message":"x"}}])", R"("an internal error")",
          R"({"error_code":336,"error_msg":"x"})", R"({"status":"error","message":"x"})",
          R"({"choices":null,"msg":"x"})"}) {
        CAPTURE(text);
        CHECK(fails(text));
    }
    for (const char* text :
         {R"({"choices":[{"delta":{}}]})", R"({"error":null,"choices":[]})", R"({"error":false,"choices":[{}]})",
          R"({"error":"","usage":{}})", R"({"message":{"role":"assistant","content":""},"done":false})",
          R"({"type":"message_start","message":{"role":"assistant","content":[]}})", R"({"type":"ping"})",
          R"({"choices":[{"delta":{"content":"a"}}],"message":"ok","detail":"x"})", R"("[DONE]")", "[]", "1",
          R"({"choices":[],"base_resp":{"status_code":0,"status_msg":"success"}})", R"({"usage":{"total_tokens":1}})",
          R"({"output":[],"error":null,"status":"failed"})", "{}"}) {
        CAPTURE(text);
        CHECK_FALSE(fails(text));
    }
}
TEST_CASE("waits are found in the body, in its words, and in a nested error of the server behind a gateway") {
    const WallTime now{1743470690s};
    const auto wait = [&](unsigned status, std::string_view body, RetryAfter told = {}, RetryAfter limit = {}) {
        return judge(ResponseHead{.status = status, .told = told, .limit = limit, .body = body}, hints, Secret(), now)
            .floor;
    };
    CHECK(wait(429, error("Rate limit reached. Please try again in 4s."), {}, 9s) == 4s);
    CHECK(wait(503, R"({"error":"Model x is currently loading","estimated_time":20.5})") == 20500ms);  // Hugging Face
    CHECK(wait(429, R"({"error":{"message":"x","retry_after":7}})") == 7s);
    CHECK(wait(429, R"({"message":"x","retry_after_ms":700})") == 700ms);
    CHECK(
        wait(429,
             R"({"error":{"message":"x","code":429,"metadata":{"headers":{"X-RateLimit-Reset":"1743470700000"}}}})") ==
        10s);
    CHECK(wait(429, error("Used up. Try again at 2025-04-01T01:25:00Z."), {}, 9s) == 10s);
    CHECK(wait(429, error("Resets at 2025-04-01T01:25:00Z, try again in 4s")) == 4s);
    CHECK(wait(429, error("slow down"), {}, 9s) == 9s);
    CHECK(wait(429, error("try again in 4s"), 20s) == 20s);
    CHECK(wait(429, R"({"error":{"retry_after":-7}})") == std::nullopt);
    CHECK(wait(500, error("slow down"), {}, 9s) == std::nullopt);
    const auto later = judge_error_object(
        json::parse(R"({"code":429,"metadata":{"headers":{"X-RateLimit-Reset":"1743470700000"}}})"), hints, Secret());
    CHECK(until_point(later.reset, now) == 10s);
}
TEST_CASE("a refusal keeps the server's words, names and codes of the refused part") {
    const auto body =
        R"({"error":{"message":"Unsupported parameter: 'Stop' is not supported","type":"invalid_request_error",
        "param":"stop","code":"unsupported_parameter"}})";
    for (const unsigned status : {400, 404, 405, 415, 422, 500, 501}) {
        CAPTURE(status);
        const auto refusal = of(status, body).refusal;
        CHECK(refusal.find("unsupported parameter: 'stop' is not supported stop ") == 0);
        CHECK(refusal.find("unsupported_parameter") != std::string::npos);
    }
    for (const unsigned status : {401, 403, 429, 503}) CHECK(of(status, body).refusal == "");
    CHECK(judge_text(body, hints, Secret()).refusal.find("unsupported_parameter") != std::string::npos);
    CHECK(of(422, R"({"detail":[{"loc":["body","stream_options"],"msg":"Extra"}]})")
              .refusal.find("body.stream_options") == 0);
    CHECK(of(400, error(std::string(100000, 'x'))).refusal.size() <= 4000);
}
