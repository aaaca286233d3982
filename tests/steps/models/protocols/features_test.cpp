// Refusals of a feature, in words of public reports, and its other forms.
#include "engine/text/text.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include <algorithm>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;

namespace {
bool names(const std::string& refusal, Feature feature) {
    const auto found = refused_features(lower(refusal));
    return std::find(found.begin(), found.end(), feature) != found.end();
}
ToolCall call(std::string id) { return {std::move(id), "add", "{}"}; }
Message asks(std::vector<ToolCall> calls) {
    return {.role = Role::assistant, .content = "", .calls = std::move(calls)};
}
std::vector<Message> adapted(std::vector<Message> messages, Feature feature) {
    Features features;
    features.set(feature, 1);
    std::vector<Message> room;
    return adapted_messages(messages, features, room);
}
}

TEST_CASE("a refusal names its feature when it is said in the words of a server that people use") {
    const std::pair<Feature, const char*> table[] = {
        {Feature::usage_in_stream, "Unrecognized request argument supplied: stream_options"},
        {Feature::usage_in_stream, "extra_forbidden body stream_options include_usage Extra inputs are not permitted"},
        {Feature::max_tokens, "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                              "'max_completion_tokens' instead."},
        {Feature::max_tokens, "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens"},
        {Feature::stop, "Unsupported parameter: 'stop' is not supported with this model."},
        {Feature::stop, "body.stop: Input should be a valid string"},
        {Feature::stop, "invalid type for 'stop' field: []interface {}"},  // Ollama
        {Feature::stop, "\"stopSequences\" is not supported by this model"},
        {Feature::temperature, "Unsupported value: 'temperature' does not support 0.1 with this model."},
        {Feature::schema, "This response_format type is unavailable now"},
        {Feature::schema, "json mode cannot be combined with tool/function calling"},
        {Feature::schema, "Function calling with a response mime type: 'application/json' is unsupported"},
        {Feature::system_role, "System role not supported"},
        {Feature::system_role, "Developer instruction is not enabled for models/gemma-3-27b-it"},
        {Feature::system_role, "Unsupported value: 'messages[0].role' does not support 'system' with this model."},
        {Feature::system_role, "Conversation roles must alternate user/assistant/user/assistant/..."},
        {Feature::system_role, "Only user and assistant roles are supported!"},
        {Feature::system_role, "Only user, assistant and tool roles are supported, got system."},
        {Feature::system_role, "Unexpected message role."},
        {Feature::system_role, "Template error: invalid operation"},
        {Feature::system_role, "This model does not support system prompts"},
        {Feature::system_role, "system: Extra inputs are not permitted"},
        {Feature::system_role, "Unsupported parameter: 'instructions'"},
        {Feature::system_role, "'messages.0.role' : value must be one of ['user','assistant']"},
        {Feature::schema, "guided decoding is not supported for this model"},
        {Feature::schema, "'claude-c' does not support output format."},
        {Feature::streamed_tools, "Your organization must be verified to stream this model."},
        {Feature::empty_content, "None has no element 0"},
        {Feature::empty_content, "messages[2].content: data did not match any variant of untagged enum MessageContent"},
        {Feature::empty_content, "invalid type: null, expected a string"},
        {Feature::result_names, "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be "
                                "empty."},
        {Feature::signatures, "Function call is missing a thought_signature in functionCall parts."},
        {Feature::store, "Unsupported parameter: store"},
        {Feature::strict, "tools[0].strict: Extra inputs are not permitted"},
        {Feature::json_schemas, "Unknown name \"parametersJsonSchema\" at 'tools[0].function_declarations[0]'"},
        {Feature::json_schemas, "tools[0].function_declarations[0].parameters.properties: should be non-empty for "
                                "OBJECT type"},
        {Feature::prompt_cache, "system: Input should be a valid string"},
        {Feature::after_results, "Unexpected role 'user' after role 'tool'"},
        {Feature::after_results, "Conversation roles must alternate user/assistant/user/assistant/..."},
        {Feature::reasoning_demanded, "The `reasoning_content` in the thinking mode must be passed back to the API."},
        {Feature::reasoning_returned, "property 'reasoning' is unsupported"},
        {Feature::call_ids, "Tool call id was call_AbC but must be a-z, A-Z, 0-9, with a length of 9."},
        {Feature::call_ids, "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum "
                            "length 40, but got a string with length 64 instead."},
        {Feature::single_calls, "This model only supports single tool-calls at once!"},
        {Feature::empty_content, "messages.2.content: Input should be a valid string"},
        {Feature::streamed_tools, "Cannot use tools with stream"},
        {Feature::stream_demanded, "This model only support stream mode, please enable the stream parameter to access "
                                   "the model. "},
        {Feature::stream_demanded, "Stream must be set to true"},
        {Feature::stream_demanded, "parameter.enable_thinking must be set to false for non-streaming calls"},
        {Feature::streamed_tools, "This model doesn't support tool use in streaming mode."},
        {Feature::tool_choice, "tool_choice none is not supported"},
        {Feature::prompt_cache, "tools.0.cache_control: Extra inputs are not permitted"},
        {Feature::encrypted_reasoning, "Encrypted content is not supported with this model."},
    };
    for (const auto& row : table) CHECK_MESSAGE(names(row.second, row.first), std::string(row.second));
}
TEST_CASE("a refusal names no feature when its words only resemble one") {
    CHECK(refused_features("the model `m` does not exist").empty());
    CHECK(refused_features("invalid api key").empty());
    CHECK_FALSE(names("extra inputs are not permitted: stop_at", Feature::stop));
    CHECK_FALSE(names("system: input should be a valid string", Feature::system_role));
    CHECK_FALSE(names("stream_options is not supported", Feature::streamed_tools));
}
TEST_CASE("a known model starts right when something stands before its name") {
    for (const char* name : {"o3-mini", "openai/o3-mini", "openai/gpt-5-mini:free", "azure/GPT-5"}) {
        const auto features = usual_features(name);
        CHECK_MESSAGE(features.form(Feature::stop) == 1, name);
        CHECK_MESSAGE(features.form(Feature::max_tokens) == 1, name);
        CHECK_MESSAGE(features.usual(Feature::encrypted_reasoning), name);
    }
    CHECK(usual_features("gpt-5-chat-latest").usual(Feature::stop));
    CHECK(usual_features("gpt-4o").usual(Feature::stop));
    CHECK_FALSE(usual_features("gpt-4o").usual(Feature::encrypted_reasoning));
    CHECK(usual_features("mistralai/mistral-small").form(Feature::call_ids) == 1);
    CHECK(usual_features("google/gemini-2.5-flash").form(Feature::result_names) == 1);
}
TEST_CASE("each feature has a final form") {
    for (int i = 0; i < static_cast<int>(Feature::count); ++i) {
        Features features;
        int forms = 0;
        while (features.advance(static_cast<Feature>(i))) {
            CHECK(feature_sentence(static_cast<Feature>(i), features).size() > 10);
            ++forms;
        }
        CHECK_MESSAGE((forms == 1 || forms == 2), i);
    }
}
TEST_CASE("messages are written in the form of their server") {
    const auto a = call("x-1"), b = call("x-2");
    CHECK(adapted({instruction("Be brief."), user("Hi.")}, Feature::system_role) ==
          std::vector<Message>{user("Be brief.\n\nHi.")});
    CHECK(adapted({instruction("Be brief.")}, Feature::system_role) == std::vector<Message>{user("Be brief.")});
    CHECK(adapted({asks({a}), result(a, "1"), user("Now answer.")}, Feature::after_results) ==
          std::vector<Message>{asks({a}), result(a, "1\n\nNow answer.")});
    CHECK(adapted({user("a"), user("b"), assistant("c")}, Feature::after_results) ==
          std::vector<Message>{user("a\n\nb"), assistant("c")});
    CHECK(adapted({asks({a, b}), result(a, "1"), result(b, "2"), user("?")}, Feature::single_calls) ==
          std::vector<Message>{asks({a}), result(a, "1"), asks({b}), result(b, "2"), user("?")});
    const auto c = call("call00001");
    CHECK(adapted({asks({a, c}), result(a, "1"), result(c, "2"), asks({b}), result(b, "3")}, Feature::call_ids) ==
          std::vector<Message>{asks({call("call00000"), c}), result(call("call00000"), "1"), result(c, "2"),
                               asks({call("call00002")}), result(call("call00002"), "3")});
}
TEST_CASE("rewritten ids are the same in the next turn") {
    std::vector<Message> messages{asks({call("x-1")}), result(call("x-1"), "1")};
    const auto before = adapted(messages, Feature::call_ids);
    messages.push_back(asks({call("x-2")}));
    const auto after = adapted(messages, Feature::call_ids);
    CHECK(std::equal(before.begin(), before.end(), after.begin()));
}
