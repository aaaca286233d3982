#include "workflows/server/openai/request.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::server;
using nlohmann::json;

namespace {
const std::vector<OpenaiModel>& models() {
    static const auto all = openai_models(catalog::entries());
    return all;
}
json only(json item) { return json::array({std::move(item)}); }
json user(const json& content) { return {{"role", "user"}, {"content", content}}; }
json chat(json messages, json more = json::object()) {
    json body = {{"model", "react"}, {"messages", std::move(messages)}};
    body.update(more);
    return body;
}
json asking(json more) { return chat(only(user("hi")), std::move(more)); }
json response(json input, json more = json::object()) {
    json body = {{"model", "react"}, {"input", std::move(input)}};
    body.update(more);
    return body;
}
using Parse = OpenaiRequest (*)(const json&, const std::vector<OpenaiModel>&);
OpenaiError refused(Parse parse, const json& body) {
    try {
        (void)parse(body, models());
    } catch (const OpenaiRefusal& refusal) { return refusal.error(); }
    FAIL("taken: " << body.dump());
    return {};
}
std::string param(const json& body, Parse parse = parse_chat_request) {
    const auto error = refused(parse, body);
    CHECK(error.status == 400);
    CHECK(error.type == "invalid_request_error");
    return error.param.value_or("-");
}
}

TEST_CASE("the last message of the user is the input, and earlier ones are quoted by role") {
    const auto request = parse_chat_request(chat({{{"role", "system"}, {"content", "Be brief."}},
                                                  user("one"),
                                                  {{"role", "assistant"}, {"content", "1"}},
                                                  {{"role", "developer"}, {"content", "In German."}},
                                                  user("two")}),
                                            models());
    CHECK(request.model->id == "react");
    CHECK(request.input == json{{"text", "two"}});
    CHECK(request.question == "two");
    CHECK(request.instructions == "Be brief.\n\nIn German.");
    REQUIRE(request.earlier.size() == 2);
    CHECK(request.earlier[0].role == "user");
    CHECK(request.earlier[0].text == "one");
    CHECK(request.earlier[1].role == "assistant");
    CHECK(request.earlier[1].text == "1");
    CHECK_FALSE(request.stream);
    CHECK_FALSE(request.include_usage);
    CHECK(request.conversation.empty());
}
TEST_CASE("a system message is the input when it is the only message") {
    const auto title = [](const char* role) { return json{{"role", role}, {"content", "Give this chat a title."}}; };
    for (const auto* role : {"system", "developer"}) {
        const auto request = parse_chat_request(chat(only(title(role))), models());
        CHECK(request.question == "Give this chat a title.");
        CHECK(request.instructions.empty());
        CHECK(request.earlier.empty());
    }
    CHECK(param(chat({title("system"), {{"role", "assistant"}, {"content", "A title"}}})) == "messages[1]");
    CHECK(param(chat(only({{"role", "system"}, {"content", ""}}))) == "messages");
}
TEST_CASE("content is a text or parts of text, and nothing else") {
    const json parts = {{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}};
    CHECK(parse_chat_request(chat(only(user(parts))), models()).question == "a\nb");
    const json picture = {{{"type", "text"}, {"text", "a"}}, {{"type", "image_url"}, {"image_url", {{"url", "x"}}}}};
    CHECK(param(chat(only(user(picture)))) == "messages[0].content[1].type");
    CHECK(param(chat(only(user(7)))) == "messages[0].content");
    CHECK(param(chat(only(user(nullptr)))) == "messages[0].content");
    CHECK(param(chat(only(user(only(1))))) == "messages[0].content[0]");
    CHECK(param(chat(only(user(only({{"type", "text"}}))))) == "messages[0].content[0].text");
    CHECK(param(chat(only(user(only({{"type", "text"}, {"text", 1}}))))) == "messages[0].content[0].text");
}
TEST_CASE("a picture is a placeholder when it stands before the last message of the user, and else refused") {
    const auto shown = [](const char* type) {
        return user({{{"type", "text"}, {"text", "see"}}, {{"type", type}, {"image_url", "x"}}});
    };
    const json answer = {{"role", "assistant"}, {"content", "A cat."}};
    const std::pair<const char*, const char*> kinds[] = {
        {"image_url", "see\n[picture]"}, {"input_image", "see\n[picture]"}, {"input_audio", "see\n[sound]"},
        {"video_url", "see\n[video]"},   {"input_file", "see\n[file]"},     {"file", "see\n[file]"}};
    for (const auto& [type, text] : kinds) {
        const auto chatted = parse_chat_request(chat({shown(type), answer, user("and now?")}), models());
        const auto responded = parse_responses_request(response({shown(type), answer, user("and now?")}), models());
        for (const auto& request : {chatted, responded}) {
            CHECK(request.question == "and now?");
            REQUIRE(request.earlier.size() == 2);
            CHECK(request.earlier[0].text == text);
        }
        CHECK(param(chat({user("one"), answer, shown(type)})) == "messages[2].content[1].type");
        CHECK(param(response({user("one"), answer, shown(type)}), parse_responses_request) ==
              "input[2].content[1].type");
        CHECK(param(chat({shown(type), {{"role", "system"}, {"content", "Be brief."}}})) ==
              "messages[0].content[1].type");
    }
    const json picture = {{"type", "image_url"}, {"image_url", {{"url", "x"}}}};
    const auto many = parse_chat_request(chat({user(json(max_openai_parts, picture)), answer, user("x")}), models());
    CHECK(many.earlier.at(0).text == "[picture]");
    CHECK(param(chat({user(only({{"type", "txt"}, {"text", "x"}})), answer, user("x")})) ==
          "messages[0].content[0].type");
}
TEST_CASE("messages about the caller's tools are left out, and cannot be the last ones") {
    const json call = {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", json::array()}};
    const json result = {{"role", "tool"}, {"tool_call_id", "1"}, {"content", "42"}};
    const auto request = parse_chat_request(chat({user("one"), call, result, user("two")}), models());
    CHECK(request.question == "two");
    CHECK(request.earlier.size() == 1);
    CHECK(param(chat({user("one"), call, result})) == "messages[2]");
    CHECK(param(chat({user("one"), {{"role", "assistant"}, {"content", "Well"}}})) == "messages[1]");
    CHECK(parse_chat_request(chat({user("one"), {{"role", "system"}, {"content", "now"}}}), models()).question ==
          "one");
}
TEST_CASE("a workflow with more than a text takes JSON in the message, and its error says what is wrong") {
    auto refund = [](const std::string& text) { return chat(only(user(text)), {{"model", "refund"}}); };
    const auto request = parse_chat_request(refund(R"({"order":"A","amount":12})"), models());
    CHECK(request.input == json{{"order", "A"}, {"amount", 12}});
    for (const auto* text : {"please", "[1]", R"({"order":"A"})", R"({"order":1,"amount":2})", "{\"order\":"}) {
        const auto error = refused(parse_chat_request, refund(text));
        CHECK(error.status == 400);
        CHECK(error.param == "messages[0]");
        CHECK(error.message.find("refund") != std::string::npos);
    }
    CHECK(param(refund(std::string(1000, '['))) == "messages[0]");
}
TEST_CASE("a stream, its usage and a conversation are read") {
    const auto request = parse_chat_request(asking({{"stream", true},
                                                    {"stream_options", {{"include_usage", true}}},
                                                    {"metadata", {{"conversation_id", "c-1"}, {"x", 1}}}}),
                                            models());
    CHECK(request.stream);
    CHECK(request.include_usage);
    CHECK(request.conversation == "c-1");
    CHECK(param(asking({{"metadata", {{"conversation_id", "../x"}}}})) == "metadata.conversation_id");
    CHECK(param(asking({{"metadata", {{"conversation_id", ""}}}})) == "metadata.conversation_id");
    CHECK(param(asking({{"metadata", {{"conversation_id", std::string(129, 'a')}}}})) == "metadata.conversation_id");
    CHECK(param(asking({{"metadata", 1}})) == "metadata");
}
TEST_CASE("a request that a workflow cannot follow is refused, and options of style are accepted") {
    const json tools = only({{"type", "function"}, {"function", {{"name", "f"}}}});
    for (const json& more :
         {json{{"n", 1}}, json{{"tools", tools}}, json{{"tools", tools}, {"tool_choice", "auto"}},
          json{{"tool_choice", "none"}}, json{{"stop", "x"}}, json{{"stop", {"x", "y"}}}, json{{"temperature", 0.5}},
          json{{"max_tokens", 5}}, json{{"max_completion_tokens", 5}}, json{{"max_tokens", -1}},
          json{{"max_completion_tokens", -1.0}}, json{{"max_tokens", 100.0}}, json{{"max_tokens", 1e30}},
          json{{"n", 1.0}}, json{{"response_format", {{"type", "text"}}}}, json{{"unknown", {{"deep", only(1)}}}},
          json{{"n", nullptr}, {"stream", nullptr}, {"metadata", nullptr}},
          json{{"tool_choice", {{"type", "allowed_tools"}, {"allowed_tools", {{"mode", "auto"}}}}}}})
        CHECK_NOTHROW((void)parse_chat_request(asking(more), models()));
    CHECK(param(asking({{"n", 2}})) == "n");
    CHECK(param(asking({{"tool_choice", "required"}})) == "tool_choice");
    CHECK(param(asking({{"tool_choice", {{"type", "function"}, {"function", {{"name", "f"}}}}}})) == "tool_choice");
    CHECK(param(asking({{"tool_choice", {{"type", "allowed_tools"}, {"mode", "required"}}}})) == "tool_choice");
    CHECK(param(asking({{"function_call", {{"name", "f"}}}})) == "function_call");
    CHECK(param(asking({{"response_format", {{"type", "json_object"}}}})) == "response_format");
    CHECK(param(asking({{"modalities", {"text", "audio"}}})) == "modalities");
}
TEST_CASE("a field of a wrong type is refused by its name") {
    const std::pair<const char*, json> wrong[] = {{"stream", 1},
                                                  {"stream_options", "x"},
                                                  {"n", "1"},
                                                  {"n", 0},
                                                  {"n", 1.5},
                                                  {"temperature", "hot"},
                                                  {"n", -1},
                                                  {"max_tokens", 0},
                                                  {"max_tokens", -2},
                                                  {"max_tokens", 1.5},
                                                  {"max_completion_tokens", "5"},
                                                  {"tools", {{"a", 1}}},
                                                  {"tool_choice", 1},
                                                  {"stop", 1},
                                                  {"stop", only(1)},
                                                  {"response_format", 1},
                                                  {"modalities", "text"},
                                                  {"top_p", true},
                                                  {"messages", "hi"},
                                                  {"messages", {{"a", 1}}},
                                                  {"messages", json::array()},
                                                  {"messages", nullptr},
                                                  {"model", 7},
                                                  {"model", nullptr},
                                                  {"model", std::string(300, 'x')},
                                                  {"presence_penalty", "x"},
                                                  {"functions", 1}};
    for (const auto& [key, value] : wrong) { CHECK(param(asking({{key, value}})) == key); }
    CHECK(param(chat(only(7))) == "messages[0]");
    CHECK(param(chat(only({{"role", "robot"}, {"content", "x"}}))) == "messages[0].role");
    CHECK(param(chat(only({{"content", "x"}}))) == "messages[0].role");
    for (const json& body : {json(), json::array(), json("x"), json(1)}) CHECK(param(body) == "-");
    CHECK(refused(parse_chat_request, asking({{"model", "gpt-5"}})).status == 404);
}
TEST_CASE("the number and the length of messages are bounded") {
    CHECK(param(chat(json(max_openai_messages + 1, user("x")))) == "messages");
    CHECK_NOTHROW((void)parse_chat_request(chat(json(max_openai_messages, user("x"))), models()));
    CHECK(param(chat(only(user(std::string(max_openai_question + 1, 'x'))))) == "messages[0]");
    CHECK_NOTHROW((void)parse_chat_request(chat(only(user(std::string(max_openai_question, 'x')))), models()));
    const auto large = user(std::string(max_openai_text / 2 + 1, 'x'));
    CHECK(param(chat({large, large, user("x")})) == "messages[1]");
    const json part = {{"type", "text"}, {"text", "x"}};
    CHECK(param(chat(only(user(json(max_openai_parts + 1, part))))) == "messages[0].content");
}
TEST_CASE("a response's input is a text, or messages with other items between them") {
    const auto request = parse_responses_request(response("hi", {{"instructions", "Be brief."}, {"stream", true}}),
                                                 models());
    CHECK(request.input == json{{"text", "hi"}});
    CHECK(request.instructions == "Be brief.");
    CHECK(request.stream);
    const json said = {{"type", "message"},
                       {"role", "assistant"},
                       {"id", "msg_1"},
                       {"content", only({{"type", "output_text"}, {"text", "1"}, {"annotations", json::array()}})}};
    const json thought = {{"type", "reasoning"}, {"summary", json::array()}};
    const json called = {{"type", "function_call"}, {"name", "f"}};
    const auto longer = parse_responses_request(
        response({user("one"), thought, called, said, user(only({{"type", "input_text"}, {"text", "two"}}))},
                 {{"conversation", {{"id", "conv_1"}}}}),
        models());
    CHECK(longer.question == "two");
    CHECK(longer.earlier.size() == 2);
    CHECK(longer.conversation == "conv_1");
}
TEST_CASE("an unsupported response format is refused by the name of the field") {
    const Parse parse = parse_responses_request;
    CHECK(param(response("x", {{"previous_response_id", "resp_1"}}), parse) == "previous_response_id");
    CHECK(param(response("x", {{"background", true}}), parse) == "background");
    CHECK(param(response("x", {{"prompt", {{"id", "p"}}}}), parse) == "prompt");
    CHECK(param(response("x", {{"text", {{"format", {{"type", "json_schema"}}}}}}), parse) == "text.format");
    CHECK(param(response("x", {{"text", 1}}), parse) == "text");
    CHECK(param(response("x", {{"tool_choice", "required"}}), parse) == "tool_choice");
    CHECK(param(response("x", {{"max_output_tokens", 0}}), parse) == "max_output_tokens");
    for (const json& most : {json(-1), json(64.0)})
        CHECK_NOTHROW((void)parse(response("x", {{"max_output_tokens", most}}), models()));
    CHECK(param(response("x", {{"conversation", "a b"}}), parse) == "conversation");
    CHECK(param(response("x", {{"conversation", {{"id", 1}}}}), parse) == "conversation.id");
    CHECK(param(response(nullptr), parse) == "input");
    CHECK(param(response(1), parse) == "input");
    CHECK(param(response(json::array()), parse) == "input");
    CHECK(param(response({user("x"), {{"type", "item_reference"}, {"id", "m"}}}), parse) == "input[1]");
    CHECK(param(response(only({{"type", "picture"}})), parse) == "input[0]");
    CHECK(param(response(only(user(only({{"type", "input_image"}, {"image_url", "x"}})))), parse) ==
          "input[0].content[0].type");
    CHECK(param(response({user("x"), {{"type", "function_call_output"}, {"output", "1"}}}), parse) == "input[1]");
    CHECK(param(response(only({{"role", "tool"}, {"content", "1"}})), parse) == "input[0].role");
    CHECK(refused(parse, response("x", {{"model", "gpt-5"}})).status == 404);
}
