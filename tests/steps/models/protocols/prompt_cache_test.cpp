// The cached parts of a prompt, their marks, and the cost.
#include "engine/json.hpp"
#include "steps/models/prices.hpp"
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/responses.hpp"
#include "steps/models/secret.hpp"
#include "tests/steps/models/asking.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
const json mark = {{"type", "ephemeral"}};
json body_of(const ChatRequest& request, int form = 0) {
    Features features;
    features.set(Feature::prompt_cache, form);
    return json::parse(anthropic_messages.request(request, "claude-x", false, features));
}
/// Returns the places of marks in the messages: "turn.block".
std::vector<std::string> marks_in(const json& body) {
    std::vector<std::string> places;
    const auto& turns = body["messages"];
    for (std::size_t i = 0; i < turns.size(); ++i)
        for (std::size_t k = 0; k < turns[i]["content"].size(); ++k)
            if (turns[i]["content"][k].contains("cache_control"))
                places.push_back(std::to_string(i) + '.' + std::to_string(k));
    return places;
}
Message with_calls(const std::vector<ToolCall>& calls) {
    auto message = assistant("I look.");
    message.calls = calls;
    return message;
}
ChatRequest conversation() {
    const ToolCall first{"a", "look", "{}"}, second{"b", "look", "{}"}, third{"c", "look", "{}"};
    ChatRequest request;
    request.messages = {models::instruction("Be brief."), user("What?"),
                        with_calls({first, second}),      models::result(first, "one"),
                        models::result(second, "two"),    with_calls({third}),
                        models::result(third, "three")};
    request.tools = {{"look", "Looks.", ""}, {"go", "Goes.", ""}};
    request.kept = request.messages.size();
    return request;
}
Usage usage_of(const Protocol& protocol, const std::string& bytes) {
    auto reader = protocol.reader({}, Secret());
    reader->feed(bytes, {});
    return reader->finish({}).usage;
}
Usage chat_usage(const std::string& usage) {
    return usage_of(openai_chat, R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{)"
                                 R"("prompt_tokens":100,"completion_tokens":7,)" +
                                     usage + "}}");
}
}

TEST_CASE("Anthropic gets at most four marks when a run continues") {
    auto request = conversation();
    const auto body = body_of(request);
    CHECK(body["system"] ==
          json::parse(R"([{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}])"));
    CHECK(!body["tools"][0].contains("cache_control"));
    CHECK(body["tools"][1]["cache_control"] == mark);
    CHECK(marks_in(body) == std::vector<std::string>{"2.1", "4.0"});

    request.messages.push_back(user("No tool runs any more."));  // the last request of a run
    CHECK(marks_in(body_of(request)) == std::vector<std::string>{"2.1", "4.0"});
    request.kept = 0;  // the next request is unknown
    CHECK(marks_in(body_of(request)).empty());
    request.kept = 1000;
    CHECK(marks_in(body_of(request)) == std::vector<std::string>{"2.1", "4.1"});
}
TEST_CASE("Anthropic gets the request of a server without a cache when marks are off") {
    const auto plain = body_of(conversation(), 1);
    CHECK(plain.dump().find("cache_control") == std::string::npos);
    CHECK(plain["system"] == "Be brief.");
    auto marked = body_of(conversation());
    for (auto& turn : marked["messages"])
        for (auto& block : turn["content"]) block.erase("cache_control");
    CHECK(marked["messages"] == plain["messages"]);
}
TEST_CASE("a mark is on no empty block and on no thought when these are the last ones") {
    const ToolCall call{"a", "look", "{}"};
    ChatRequest request;
    auto thinks = with_calls({call});
    thinks.native = {"anthropic", {R"([{"type":"text","text":"Hm."},{"type":"thinking","thinking":"t","signature":"s"},
                                       {"type":"redacted_thinking","data":"d"}])"}};
    request.messages = {user("What?"), thinks, models::result(call, " ")};
    request.kept = 3;
    CHECK(marks_in(body_of(request)) == std::vector<std::string>{"0.0", "1.0"});
    request.messages = {user(" ")};
    request.kept = 1;
    CHECK(marks_in(body_of(request)).empty());
    CHECK(marks_in(body_of({})).empty());
}
TEST_CASE("a growing message is sent in its parts when a cache could keep them") {
    ChatRequest request;
    request.messages = {models::instruction("Be brief."), user("head step  step \xc3\xa4 end")};
    request.messages[1].joints = {5, 10, 11, 16, 17, 3, 900};  // 11: a blank alone is refused; 17: in a character
    request.kept = 1;
    const auto body = body_of(request);
    const auto& blocks = body["messages"][0]["content"];
    std::string text;
    for (const auto& block : blocks) text += block["text"].get<std::string>();
    CHECK(text == request.messages[1].content);
    CHECK(blocks[0]["text"] == "head ");
    CHECK(blocks[1]["text"] == "step ");
    CHECK(blocks[2]["text"] == " step ");
    CHECK(marks_in(body).size() == 1);
    CHECK(!blocks.back().contains("cache_control"));

    request.messages[1].content += " more";
    const auto next = body_of(request)["messages"][0]["content"];
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) CHECK(next[i] == blocks[i]);
    CHECK(body_of(request, 1)["messages"][0]["content"].size() == 1);
}
TEST_CASE("a server gets no marks when it refuses them or they are off") {
    const std::string whole = R"({"type":"message","content":[{"type":"text","text":"42"}],"stop_reason":"end_turn"})",
                      refusal = R"({"type":"error","error":{"type":"invalid_request_error",)"
                                R"("message":"tools.1.cache_control: Extra inputs are not permitted"}})";
    testing::RudeServer server({once(400, refusal), once(200, whole), once(200, whole), once(200, whole)});
    const auto marks = [&](std::size_t i) {
        return server.requests().at(i).find("cache_control") != std::string::npos;
    };
    testing::ManualClock clock;
    auto options = options_for(server);
    options.protocol = &anthropic_messages;
    options.stream = false;
    options.prompt_cache = false;
    {
        HttpModel model(options);
        options.prompt_cache = true;
        HttpModel caching(options);  // with the same account
        const auto first = models::ask(caching, clock, conversation());
        CHECK(first.text == "42");
        CHECK(first.notes.size() == 1);
        CHECK(models::ask(caching, clock, conversation()).text == "42");
        CHECK(models::ask(model, clock, conversation()).text == "42");
    }
    CHECK(marks(0));
    for (const std::size_t i : {1, 2, 3}) CHECK_FALSE(marks(i));
}
TEST_CASE("a model keeps its marks when another one of the same server refuses them") {
    const std::string whole = R"({"type":"message","content":[{"type":"text","text":"42"}],"stop_reason":"end_turn"})";
    testing::RudeServer server({once(200, whole), once(200, whole)});
    testing::ManualClock clock;
    auto options = options_for(server);
    options.protocol = &anthropic_messages;
    options.stream = false;
    HttpModel caching(options);
    options.prompt_cache = false;
    HttpModel plain(options);
    CHECK(models::ask(plain, clock, conversation()).text == "42");
    CHECK(models::ask(caching, clock, conversation()).text == "42");
    CHECK(server.requests().at(0).find("cache_control") == std::string::npos);
    CHECK(server.requests().at(1).find("cache_control") != std::string::npos);
}

TEST_CASE("cached tokens, read and written, are counted when a server has another name for them") {
    const Usage read{100, 7, 60, 0, 0}, written{100, 7, 0, 0, 40};
    CHECK(chat_usage(R"("prompt_tokens_details":{"cached_tokens":60})") == read);
    CHECK(chat_usage(R"("prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40)") == read);  // DeepSeek
    CHECK(chat_usage(R"("cached_tokens":60)") == read);                                          // Moonshot
    CHECK(chat_usage(R"("cache_read_input_tokens":60,"prompt_tokens_details":null)") == read);   // LiteLLM
    CHECK(chat_usage(R"("prompt_tokens_details":{"cache_write_tokens":40})") == written);        // OpenRouter
    CHECK(chat_usage(R"("cache_creation_input_tokens":40)") == written);                         // LiteLLM
    CHECK(chat_usage(R"("prompt_tokens_details":{"cache_creation_tokens":40})") == written);     // LiteLLM
    CHECK(chat_usage(R"("cached_tokens":-1,"prompt_tokens_details":{"cached_tokens":"x"})") == Usage{100, 7});
    CHECK(usage_of(openai_responses, R"({"object":"response","status":"completed","output":[{"type":"message","content":
        [{"type":"output_text","text":"x"}]}],"usage":{"input_tokens":100,"output_tokens":7,
        "input_tokens_details":{"cached_tokens":20,"cache_write_tokens":40}}})") == Usage{100, 7, 20, 0, 40});
    CHECK(usage_of(anthropic_messages, R"({"type":"message","content":[{"type":"text","text":"x"}],
        "stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":7,"cache_read_input_tokens":60,
        "cache_creation_input_tokens":30}})") == Usage{100, 7, 60, 0, 30});
}
TEST_CASE("tokens from a cache and into it have their own prices when the table has them") {
    const Usage usage{1'000'000, 0, 600'000, 0, 300'000};
    const auto cost = [&](const std::string& rest, const Usage& of) {
        return *PriceTable::from_json(R"({"m": {"prompt": 10, "completion": 1)" + rest + "}}", "p").cost("m", of);
    };
    CHECK(cost(R"(, "cached": 1, "cache_write": 12.5)", usage) == doctest::Approx(0.6 + 3.75 + 1));
    CHECK(cost(R"(, "cached": 1)", usage) == doctest::Approx(0.6 + 4));
    CHECK(cost("", usage) == doctest::Approx(10));
    CHECK(cost(R"(, "cached": 0, "cache_write": 20)", {100, 0, 80, 0, 900}) == doctest::Approx(20 * 20e-6));
    CHECK_THROWS_WITH_AS(cost(R"(, "cache_write": -1)", usage), doctest::Contains("negative"), Error);
}
TEST_CASE("usage of an older version is read without figures of the cache") {
    CHECK(from_json<Usage>(json::parse(R"({"prompt_tokens":9,"completion_tokens":4})")) == Usage{9, 4});
    const Usage all{9, 4, 3, 2, 1};
    CHECK(from_json<Usage>(to_json(all)) == all);
}
