#include "tests/protocol/asking.hpp"
#include "tests/support/model_server.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using namespace weft::models::testing;
using nlohmann::json;
using weft::testing::Aimock;
using weft::testing::OpenaiMock;

namespace {
const std::string question = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?";
const ToolSpec query{"sql_db_query", "Asks the database.",
                     R"({"type":"object","properties":{"sql_query":{"type":"string"}},"required":["sql_query"]})"};
}

TEST_CASE("a run of two calls and an answer works with every protocol, and the server has received all of it") {
    Aimock server("sales_agent.json");
    for (const auto& way : ways) {
        CAPTURE(way.name());
        ChatRequest request{.messages = {models::instruction("Use the tools."), user(question)}, .tools = {query}};
        Usage usage;
        std::vector<std::string> ids;
        for (const char* observed : {"[(5500,)]", "[(17200,)]"}) {
            const auto outcome = ask(server.url(), way, request);
            REQUIRE(outcome.error == "");
            const auto& reply = outcome.reply;
            CHECK(reply.finish == FinishReason::tool_calls);
            CHECK(reply.text == "");
            REQUIRE(reply.calls.size() == 1);
            CHECK(reply.calls[0].name == "sql_db_query");
            CHECK(json::parse(reply.calls[0].arguments)["sql_query"].get<std::string>().find("SELECT SUM") == 0);
            ids.push_back(reply.calls[0].id);
            usage += reply.usage;
            request.messages.push_back(reply.message());
            request.messages.push_back(models::result(reply.calls[0], observed));
        }
        CHECK(ids[0] != ids[1]);
        const auto outcome = ask(server.url(), way, request);
        CHECK(outcome.error == "");
        CHECK(outcome.reply.text.find("by 11700, which is 212.73 percent") != std::string::npos);
        CHECK(outcome.reply.calls.empty());
        CHECK(outcome.reply.finish == FinishReason::stop);
        usage += outcome.reply.usage;
        if (usage.prompt_tokens > 0) CHECK(usage == Usage{600, 60});  // aimock's Ollama counts no tokens

        const auto messages = journal_of(server.url()).back()["body"]["messages"];
        REQUIRE(messages.size() == 6);
        for (const int turn : {2, 4}) {
            const auto& call = messages[turn]["tool_calls"][0];
            CHECK(call["function"]["name"] == "sql_db_query");
            CHECK(json::parse(call["function"]["arguments"].get<std::string>()).contains("sql_query"));
            CHECK(messages[turn + 1]["role"] == "tool");
            CHECK(messages[turn + 1]["content"].get<std::string>().find(turn == 2 ? "5500" : "17200") !=
                  std::string::npos);
            if (messages[turn + 1].contains("tool_call_id")) CHECK(messages[turn + 1]["tool_call_id"] == call["id"]);
        }
    }
}
TEST_CASE("a run of two calls and an answer works with every protocol in text") {
    for (const char* fixtures : {"sales_agent.json", "sales_react.json"}) {
        Aimock server(fixtures);
        const bool two_queries = fixtures == std::string("sales_agent.json");
        const std::vector<std::pair<const char*, const char*>> turns =
            two_queries ? std::vector<std::pair<const char*, const char*>>{{question.c_str(), "Action: sql_db_query"},
                                                                           {"Observation: [(5500,)]", "2024-07-01"},
                                                                           {"Observation: [(17200,)]", "212.73"}}
                        : std::vector<std::pair<const char*, const char*>>{
                              {question.c_str(), "Action: sql_db_query"},
                              {"Observation: 5500 | 17200", "17200 - 5500"},
                              {"Observation: 11700", "11700 / 5500 * 100"},
                              {"Observation: 212.72727272727272", "Answer: Sales rose"}};
        for (const auto& way : ways) {
            CAPTURE(way.name());
            ChatRequest request;
            for (const auto& [said, part] : turns) {
                request.messages.push_back(user(said));
                const auto outcome = ask(server.url(), way, request);
                CHECK(outcome.reply.text.find(part) != std::string::npos);
                request.messages.push_back(outcome.reply.message());
            }
        }
    }
}
TEST_CASE("calls that are whole and without an index run although the server reports a stop") {
    OpenaiMock server("second_opinion.json");
    const std::string key = "sk-second-opinion";
    const ToolSpec weather{"get_weather", "Tells the weather.", R"({"type":"object"})"};
    for (const auto& way : ways) {
        if (std::string(way.protocol->name) != "openai") continue;
        CAPTURE(way.name());
        ChatRequest request{.messages = {user("what is the weather?")}, .tools = {weather}};
        const auto outcome = ask(server.url(), way, request, key);
        CHECK(outcome.error == "");
        REQUIRE(outcome.reply.calls == std::vector<ToolCall>{{"call_abc123", "get_weather", R"({"city": "Bonn"})"}});
        CHECK(outcome.reply.finish == FinishReason::tool_calls);
        request.messages.push_back(outcome.reply.message());
        request.messages.push_back(models::result(outcome.reply.calls[0], "rain"));
        CHECK(ask(server.url(), way, request, key).reply.text == "It rains in Bonn.");

        const auto hello = ask(server.url(), way, {.messages = {user("say hello")}}, key);
        CHECK(hello.reply.text == "hello from a second server");
        CHECK((hello.reply.usage.completion_tokens > 0) != way.stream);  // the server counts no tokens in a stream
        const auto refused = ask(server.url(), way, request, "sk-another-key");
        CHECK(refused.error.find("test:any refused the key (401); set OPENAI_API_KEY") == 0);
        CHECK(refused.error.find("sk-another-key") == std::string::npos);
    }
}
