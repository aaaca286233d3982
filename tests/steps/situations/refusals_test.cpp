// Refusals in the words of many servers: the request is sent in another form, and the run answers. A server refuses the
// same part always, so that a request that keeps the part fails the cell.
#include "tests/steps/situations/table.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace situations;

namespace {
using nlohmann::json;
std::string openai_error(const std::string& message, const std::string& code = "", const std::string& param = "") {
    json error = {{"message", message}, {"type", "invalid_request_error"}, {"param", nullptr}, {"code", nullptr}};
    if (!code.empty()) error["code"] = code;
    if (!param.empty()) error["param"] = param;
    return json({{"error", error}}).dump();
}
std::string bare(const std::string& message) {
    return json({{"object", "error"},
                 {"message", message},
                 {"type", "BadRequestError"},
                 {"param", nullptr},
                 {"code", 400}})
        .dump();
}
std::string anthropic_error(const std::string& message) {
    return json({{"type", "error"}, {"error", {{"type", "invalid_request_error"}, {"message", message}}}}).dump();
}
std::string google_error(const std::string& message) {
    return json({{"error", {{"code", 400}, {"message", message}, {"status", "INVALID_ARGUMENT"}}}}).dump();
}
/// Returns pydantic's list of unexpected members.
std::string forbidden(const std::string& field) {
    const json one = {{"type", "extra_forbidden"}, {"loc", {"body", field}}, {"msg", "Extra inputs are not permitted"}};
    return json({{"object", "error"},
                 {"message", {{"detail", {one}}}},
                 {"type", "invalid_request_error"},
                 {"code", nullptr}})
        .dump();
}
std::string through_a_gateway(const std::string& inner) {
    return json({{"error",
                  {{"message", "Provider returned error"},
                   {"code", 400},
                   {"metadata", {{"raw", inner}, {"provider_name", "Moonshot AI"}}}}}})
        .dump();
}
using When = std::function<bool(const json& body)>;
json body_of(const Asked& asked) {
    const auto begin = asked.text.find("\r\n\r\n");
    return begin == asked.text.npos ? json() : json::parse(asked.text.substr(begin + 4), nullptr, false);
}
/// Refuses a request with this part, on the server of one protocol.
Situation refused_when(const char* protocol, const std::string& name, When when, const std::string& document,
                       int status = 400, Applies also = anywhere) {
    return {name, only(protocol, std::move(also)), [=](const Cell& cell, const Asked& asked) {
                return when(body_of(asked)) ? Body{status, document} : sound(cell, asked);
            }};
}
Situation parameter(const std::string& name, const std::string& document, int status = 400) {
    return refused_by("openai", name + ": " + document.substr(0, 90), "\"" + name + "\":", status, document);
}
const json& messages(const json& body) {
    static const json none = json::array();
    return body.contains("messages") ? body["messages"] : none;
}
std::string role(const json& message) { return message.value("role", ""); }
bool has_system(const json& body) {
    for (const auto& message : messages(body))
        if (role(message) == "system") return true;
    return false;
}
bool has_any(const json& body, const std::string& from, const std::string& name) {
    for (const auto& message : messages(body))
        if (role(message) == from && message.contains(name)) return true;
    return false;
}
bool same_roles_meet(const json& body) {
    std::string last;
    for (const auto& message : messages(body)) {
        if (role(message) == last && last != "tool") return true;
        last = role(message);
    }
    return false;
}
bool has_nameless_result(const json& body) {
    for (const auto& message : messages(body))
        if (role(message) == "tool" && !message.contains("name")) return true;
    return false;
}
bool has_null_content(const json& body) {
    for (const auto& message : messages(body))
        if (message.contains("content") && message["content"].is_null()) return true;
    return false;
}
bool has_two_calls(const json& body) {
    for (const auto& message : messages(body))
        if (message.contains("tool_calls") && message["tool_calls"].size() > 1) return true;
    return false;
}
/// Refuses a request for a whole reply, on a server with streams only.
Situation stream_only(const std::string& document) {
    const auto whole = [](const Cell& cell) { return cell.streamed ? std::string("it is about a whole reply") : ""; };
    return {"only streams: " + document.substr(0, 90), only("openai", whole),
            [=](const Cell& cell, const Asked& asked) {
                if (!body_of(asked).value("stream", false)) return Body{400, document};
                return write_body(*cell.protocol, true, sound_reply(cell, asked));
            }};
}
bool streams_tools(const json& body) { return body.contains("tools") && body.value("stream", false); }
/// Answers the changed request when the refused stream had tools.
Situation refused_stream(const std::string& document) {
    return {"tools in a stream: " + document.substr(0, 90), only("openai"), [=](const Cell& cell, const Asked& asked) {
                const auto body = body_of(asked);
                if (streams_tools(body)) return Body{400, document};
                return write_body(*cell.protocol, body.value("stream", false), sound_reply(cell, asked));
            }};
}
}

TEST_CASE("a parameter is left out when a server of chat completions refuses it in its own words") {
    check_all(
        {parameter("stream_options",
                   openai_error("Unknown parameter: 'stream_options'.", "unknown_parameter", "stream_options")),
         parameter("stream_options", R"({"detail":"stream_options: Extra inputs are not permitted"})", 422),
         parameter("stream_options",
                   R"({"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs )"
                   R"(are not permitted"}]})",
                   422),
         parameter("stream_options", forbidden("stream_options"), 422),
         parameter("stream_options",
                   R"({"message":"Validation failed","errors":[{"path":["stream_options"],"message":"Unrecognized )"
                   R"(key(s) in object"}]})"),
         parameter("stop",
                   R"({"detail":[{"type":"string_type","loc":["body","stop"],"msg":"Input should be a valid string",)"
                   R"("input":["\nObservation"]}]})",
                   422),
         parameter("stop", openai_error("invalid type for 'stop' field: []interface {}")),
         parameter("stream_options",
                   R"({"message":"property 'stream_options' is unsupported","code":"wrong_api_format"})"),
         parameter("stream_options", R"({"error":"json: unknown field \"stream_options\""})"),
         parameter("stop", openai_error("Unsupported parameter: 'stop' is not supported with this model.",
                                        "unsupported_parameter", "stop")),
         parameter("stop", R"({"code":"Client specified an invalid argument","error":"Argument not supported on this )"
                           R"(model: stop"})"),
         parameter("stop", R"({"code":"invalid-argument","error":"Model grok-4 does not support parameter stop."})"),
         parameter("stop", bare("stop is not allowed for this model")),
         parameter(
             "temperature",
             openai_error("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) "
                          "value is supported.",
                          "unsupported_value", "temperature")),
         parameter("temperature", openai_error("invalid temperature: only 1 is allowed for this model")),
         parameter("temperature", openai_error("`temperature` is deprecated for this model.")),
         parameter("seed", forbidden("seed"), 422),
         parameter("seed",
                   R"({"error":{"message":"litellm.UnsupportedParamsError: bedrock does not support parameters: )"
                   R"(['seed'], for model=m.","code":"400"}})"),
         parameter("response_format",
                   openai_error("This response_format type is unavailable now", "invalid_request_error")),
         parameter("response_format",
                   openai_error("Invalid parameter: 'response_format' of type 'json_schema' is not supported "
                                "with this model.",
                                "", "response_format")),
         parameter("response_format",
                   openai_error("This model does not support response format `json_schema`. See supported models.")),
         parameter("json_schema",
                   openai_error("Failed to deserialize the JSON body into the target type: response_format: "
                                "response_format.type `json_schema` is unavailable now at line 1 column 1193"),
                   422),
         parameter("response_format", R"({"error":"'response_format.type' must be 'text'"})"),
         parameter("response_format",
                   R"({"error":{"code":400,"message":"Cannot use custom grammar constraints with tools.",)"
                   R"("type":"invalid_request_error"}})")});
}
TEST_CASE("messages are sent in another form when a server refuses the usual one in its own words") {
    const auto two_turns = [](const Cell& cell) { return cell.loops() ? std::string() : "it asks once"; };
    const auto second_call = no_calls;
    check_all(
        {refused_when("openai", "system: vLLM with Gemma", has_system,
                      bare("System role not supported System role not supported")),
         refused_when(
             "openai", "system: an enum", has_system,
             openai_error("Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant "
                          "`system`, expected `user` or `assistant` at line 1 column 32")),
         refused_when("openai", "system: Unsupported value", has_system,
                      openai_error("Unsupported value: 'messages[0].role' does not support 'system' with this model.",
                                   "unsupported_value", "messages[0].role")),
         refused_when(
             "openai", "system: roles must alternate",
             [](const json& body) { return has_system(body) || same_roles_meet(body); },
             bare("Conversation roles must alternate user/assistant/user/assistant/...")),
         refused_when(
             "anthropic", "system: role is not supported", [](const json& body) { return body.contains("system"); },
             anthropic_error("role 'system' is not supported on this model")),
         refused_when(
             "gemini", "system: Developer instruction",
             [](const json& body) { return body.contains("systemInstruction"); },
             google_error("Developer instruction is not enabled for models/gemma-3-27b-it")),
         refused_when("openai", "neighbours: after the optional system message", same_roles_meet,
                      bare("After the optional system message, conversation roles must alternate "
                           "user/assistant/user/assistant/...")),
         refused_when("openai", "two calls in a message", has_two_calls,
                      bare("This model only supports single tool-calls at once!"), 400, second_call),
         refused_when("openai", "two calls in a message, 500", has_two_calls,
                      R"({"error":{"code":500,"message":"This model only supports single tool-calls at once!",)"
                      R"("type":"server_error"}})",
                      500, second_call),
         refused_when("openai", "a result without a name", has_nameless_result,
                      google_error("* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot "
                                   "be empty.\n"),
                      400, second_call),
         refused_when("openai", "content null, in Rust's words", has_null_content,
                      openai_error("Failed to deserialize the JSON body into the target type: messages[2].content: "
                                   "data did not match any variant of untagged enum MessageContent at line 1 column "
                                   "512"),
                      422, second_call),
         refused_when(
             "openai", "content null", has_null_content,
             openai_error("Invalid value for 'content': expected a string, got null.", "", "messages.[1].content"), 400,
             second_call),
         refused_when(
             "openai", "reasoning_content is demanded by Kimi",
             [](const json& body) {
                 for (const auto& message : messages(body))
                     if (role(message) == "assistant" && message.contains("tool_calls") &&
                         !message.contains("reasoning_content"))
                         return true;
                 return false;
             },
             openai_error(
                 "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"),
             400, second_call),
         refused_when(
             "openai", "reasoning_content is demanded behind a gateway",
             [](const json& body) {
                 return has_any(body, "assistant", "tool_calls") && !has_any(body, "assistant", "reasoning_content");
             },
             through_a_gateway(
                 openai_error("thinking is enabled but reasoning_content is missing in assistant tool call message "
                              "at index 2")),
             400, second_call),
         refused_when(
             "openai", "reasoning_content is demanded by DeepSeek",
             [](const json& body) {
                 return has_any(body, "assistant", "tool_calls") && !has_any(body, "assistant", "reasoning_content");
             },
             openai_error("Missing `reasoning_content` field in the assistant message at message index 2."), 400,
             second_call),
         refused_when(
             "openai", "a user speaks behind a result",
             [](const json& body) {
                 std::string last;
                 for (const auto& message : messages(body)) {
                     if (last == "tool" && role(message) == "user") return true;
                     last = role(message);
                 }
                 return false;
             },
             R"({"object":"error","message":"Unexpected role 'user' after role 'tool'",)"
             R"("type":"invalid_request_message_order","code":"3230"})",
             400, two_turns)});
}
TEST_CASE("reasoning is not sent back when a server refuses it in its own words") {
    const auto thinking = [](const std::string& name, const std::string& document) {
        return Situation{name,
                         only("openai", no_calls),
                         [=](const Cell& cell, const Asked& asked) {
                             if (has_any(body_of(asked), "assistant", "reasoning_content")) return Body{400, document};
                             auto said = sound_reply(cell, asked);
                             if (!said.calls.empty()) said.reasoning = "hm";
                             return write_body(*cell.protocol, cell.streamed, said);
                         },
                         {},
                         R"("reasoning_content")"};
    };
    check_all(
        {thinking("Cerebras",
                  R"({"message":"messages.2.assistant.reasoning_content: property )"
                  R"('messages.2.assistant.reasoning_content' is unsupported",)"
                  R"("type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"})"),
         thinking("Groq",
                  openai_error("'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : "
                               "property 'reasoning_content' is unsupported)]")),
         thinking("Mistral", R"({"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant",)"
                             R"("reasoning_content"],"msg":"Extra inputs are not permitted"}]})"),
         thinking("Pydantic in words", openai_error("messages.2.reasoning_content: Extra inputs are not permitted"))});
}
TEST_CASE("a whole reply is requested when a server refuses a stream in its own words") {
    check_all(
        {refused_stream(openai_error("stream=true is not supported when tools are provided")),
         refused_stream(R"({"error":"streaming with tools is not yet supported"})"),
         refused_stream(bare(
             "Tool use in streaming mode is not supported: This model doesn't support tool use in streaming mode.")),
         refused_stream(openai_error("Your organization must be verified to stream this model. Please go to: "
                                     "https://platform.openai.com/settings/organization/general.",
                                     "unsupported_value", "stream"))});
}
TEST_CASE("a stream is requested when a server refuses whole replies in its own words") {
    check_all({stream_only(openai_error("This model only support stream mode, please enable the stream parameter to "
                                        "access the model. ",
                                        "invalid_parameter_error")),
               stream_only(R"({"detail":"Stream must be set to true"})"),
               stream_only(openai_error("parameter.enable_thinking must be set to false for non-streaming calls"))});
}
TEST_CASE("ids of calls are replaced when a server refuses the ids of another server") {
    const auto ids = [](const char* protocol, const std::string& name, const std::string& document) {
        return Situation{name, only(protocol, no_calls), [=](const Cell& cell, const Asked& asked) {
                             if (asked.has("functions.sum:")) return Body{400, document};
                             auto said = sound_reply(cell, asked);
                             for (std::size_t i = 0; i < said.calls.size(); ++i)
                                 said.calls[i].id = "functions.sum:" + std::to_string(i);
                             return write_body(*cell.protocol, cell.streamed, said);
                         }};
    };
    check_all({ids("anthropic", "Anthropic's pattern",
                   anthropic_error("messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")),
               ids("openai", "Anthropic's pattern, behind a gateway",
                   through_a_gateway(anthropic_error("messages.1.content.0.tool_use.id: String should match pattern "
                                                     "'^[a-zA-Z0-9_-]+$'"))),
               ids("openai", "Mistral's nine",
                   R"({"object":"error","message":"Tool call id was functions.sum:0 but must be a-z, A-Z, 0-9, )"
                   R"(with a length of 9.","type":"invalid_function_call","code":"3280"})"),
               ids("openai", "OpenAI's forty",
                   openai_error(
                       "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length "
                       "40, but got a string with length 53 instead.",
                       "string_above_max_length", "messages[2].tool_calls[0].id"))});
}
