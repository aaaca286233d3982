// Offered tools, and answers to requests in both eras.
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/mcp/server/asking.hpp"
#include "tests/mcp/server/fixtures.hpp"
#include "tools/make_tool.hpp"
#include "tools/needs_approval.hpp"
#include "tools/parallel.hpp"
#include "workflows/mcp/tool_offer.hpp"

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;
using testing::Asking;

namespace {
std::string text_of(const json& result) { return result.at("content").at(0).at("text"); }
struct World {
    explicit World(CoreOptions options = {}) : core(std::move(options)) {
        tools.add(tools::parallel(tools::make_tool("divide", "Divides.",
                                                   [](double a, double b) -> double {
                                                       if (b == 0)
                                                           throw tools::ToolError("nothing can be divided by 0");
                                                       return a / b;
                                                   },
                                                   {"a", "b"})));
        tools.add(tools::needs_approval(tools::make_tool(
            "pay", "Pays.", [](double amount) { return "paid " + std::to_string(int(amount)); }, {"amount"})));
        tools.add(tools::needs_approval(
            tools::make_tool("note", "Notes.", [](std::string text) { return text.size(); }, {"text"})));
        add_tools(core, tools);
    }
    tools::Registry tools;
    Engine engine;
    Core core;
    Asking client{core, engine};
};
}

TEST_CASE("a client without a handshake gets results with their type and their server") {
    World world;

    const auto found = world.client.modern("server/discover");

    CHECK(found["supportedVersions"] == json::array({"2026-07-28"}));
    CHECK(found["capabilities"].contains("tools"));
    CHECK(found["resultType"] == "complete");
    CHECK(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "weft");
    CHECK(found["cacheScope"] == "public");
    CHECK(world.client.modern("tools/list")["ttlMs"] > 0);
    CHECK_FALSE(world.client.legacy("tools/list").contains("ttlMs"));
    CHECK_FALSE(world.client.legacy("tools/list").contains("resultType"));
}
TEST_CASE("the values of a server reach its tools, of clients of both eras") {
    CoreOptions options;
    options.values.text = R"({"tenant": "acme"})";
    World world(options);
    tools::Registry more;
    more.add(tools::make_tool("whom", "Says for whom it works.",
                              [](tools::ToolContext& context) { return context.values().value("tenant", "nobody"); }));
    add_tools(world.core, more);

    CHECK(text_of(world.client.modern("tools/call", {{"name", "whom"}})) == "acme");
    CHECK(text_of(world.client.legacy("tools/call", {{"name", "whom"}})) == "acme");
}
TEST_CASE("a handshake agrees on the requested revision, or on the newest that has a handshake") {
    World world;
    const std::pair<const char*, const char*> revisions[] = {{"2025-06-18", "2025-06-18"},
                                                             {"2024-11-05", "2024-11-05"},
                                                             {"2026-07-28", "2025-11-25"},
                                                             {"next", "2025-11-25"}};
    for (const auto& [asked, agreed] : revisions) {
        CallClient asker;
        const auto result = world.core.agree({{"protocolVersion", asked}, {"capabilities", json::object()}}, asker);
        CHECK(result["protocolVersion"] == agreed);
        CHECK(asker.version == agreed);
    }
    CallClient of_nulls;
    world.core.agree({{"protocolVersion", "2025-06-18"}, {"capabilities", nullptr}, {"clientInfo", nullptr}}, of_nulls);
    CHECK(of_nulls.capabilities == json::object());
    CallClient asker;
    CHECK_THROWS_AS(world.core.agree(json::object(), asker), RpcFailure);
}
TEST_CASE("each era has its own methods, and an unknown method is refused with its code") {
    World world;
    for (const char* gone : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen"})
        CHECK(world.client.code_of(gone, json::object()) == rpc::code::no_method);
    CHECK(world.client.legacy("ping") == json::object());
    CHECK_THROWS_AS(world.client.legacy("server/discover"), RpcFailure);
}
TEST_CASE("lists are empty when nothing of their kind is offered") {
    World world;
    for (const auto& [method, key] :
         {std::pair("resources/list", "resources"), std::pair("resources/templates/list", "resourceTemplates"),
          std::pair("prompts/list", "prompts")}) {
        CHECK(world.client.legacy(method) == json{{key, json::array()}});
        CHECK(world.client.modern(method).at(key) == json::array());
        CHECK(world.client.modern(method).at("ttlMs") > 0);
    }
    CHECK(world.client.code_of("prompts/get", json::object()) == rpc::code::no_method);
    CallClient asker;
    const auto capabilities = world.core.agree({{"protocolVersion", "2025-11-25"}}, asker).at("capabilities");
    CHECK_FALSE(capabilities.contains("resources"));
    CHECK_FALSE(capabilities.contains("prompts"));
}
TEST_CASE("tools are listed in the order of their addition, in pages with a cursor") {
    World world({.page = 1});

    const auto first = world.client.modern("tools/list");
    const auto second = world.client.modern("tools/list", {{"cursor", first.at("nextCursor")}});

    CHECK(first["tools"][0]["name"] == "divide");
    CHECK(first["tools"][0]["annotations"]["readOnlyHint"] == true);
    CHECK(second["tools"][0]["name"] == "pay");
    const auto third = world.client.modern("tools/list", {{"cursor", second.at("nextCursor")}});
    CHECK_FALSE(third.contains("nextCursor"));
    World none({.page = 0});
    CHECK(none.client.code_of("tools/list", {{"cursor", "from-7"}}) == rpc::code::bad_params);
    for (const json& wrong : {json("from-7"), json(1)})
        CHECK(world.client.code_of("tools/list", {{"cursor", wrong}}) == rpc::code::bad_params);
    for (const json& start : {json(""), json(nullptr)})
        CHECK(world.client.modern("tools/list", {{"cursor", start}}) == first);
}
TEST_CASE("a model's mistake is a result, and a program's mistake is an error") {
    World world;
    const auto call = [&](json arguments) {
        return world.client.modern("tools/call", {{"name", "divide"}, {"arguments", std::move(arguments)}});
    };
    CHECK(text_of(call({{"a", 6}, {"b", 3}})) == "2");
    CHECK_FALSE(call({{"a", 6}, {"b", 3}}).contains("isError"));
    CHECK(call({{"a", 6}, {"b", 0}})["isError"] == true);
    CHECK(call({{"a", "six"}})["isError"] == true);
    CHECK(world.client.code_of("tools/call", {{"name", "nothing"}}) == rpc::code::bad_params);
    CHECK(world.client.code_of("tools/call", json::object()) == rpc::code::bad_params);
    CHECK(world.client.code_of("tools/call", {{"name", "divide"}, {"arguments", {1, 2}}}) == rpc::code::bad_params);
}
TEST_CASE("an unknown argument is refused, unless n8n adds it to all calls") {
    World world;
    const json extras = {
        {"action", "sendMessage"}, {"chatInput", "hi"}, {"sessionId", "1"}, {"toolCallId", "2"}, {"tool", "divide"}};
    const auto open = R"({"type": "object", "properties": {"sessionId": {"type": "string"}}})";
    const auto shut = R"({"type": "object", "properties": {"sessionId": {}}, "additionalProperties": false})";
    const auto named = R"({"type": "object", "patternProperties": {".": {}}, "additionalProperties": false})";
    const auto repeat = testing::at_once([](Call& call) { return text_result(call.arguments().dump()); });
    world.core.add(testing::fixture("open", repeat, open));
    world.core.add(testing::fixture("shut", repeat, shut));
    world.core.add(testing::fixture("named", repeat, named));
    const auto call = [&](const char* name, json arguments) {
        arguments.update(extras);
        return world.client.legacy("tools/call", {{"name", name}, {"arguments", std::move(arguments)}});
    };

    CHECK(world.client.legacy("tools/list")["tools"][0]["inputSchema"]["additionalProperties"] == false);
    CHECK(text_of(call("divide", {{"a", 6}, {"b", 3}})) == "2");
    const auto refused = call("divide", {{"a", 6}, {"b", 3}, {"c", 1}});
    CHECK(refused["isError"] == true);
    CHECK(text_of(refused) == "the call has a field c, which divide does not have: it has a, b");
    CHECK(json::parse(text_of(call("open", json::object()))) == extras);
    CHECK(json::parse(text_of(call("named", json::object()))) == extras);
    CHECK(json::parse(text_of(call("shut", json::object()))) == json{{"sessionId", "1"}});
}
TEST_CASE("a tool with approval does not run before the human at the client agrees") {
    World world;
    const json call = {{"name", "pay"}, {"arguments", {{"amount", 7}}}};
    CHECK(world.client.code_of("tools/call", call) == rpc::code::missing_capability);

    world.client.capabilities = {{"elicitation", json::object()}};
    const auto asked = world.client.modern("tools/call", call);
    REQUIRE(asked["resultType"] == "input_required");
    auto again = call;
    again["requestState"] = asked["requestState"];
    again["inputResponses"]["approval"] = {{"action", "accept"}, {"content", {{"approve", true}}}};
    CHECK(text_of(world.client.modern("tools/call", again)) == "paid 7");
    CHECK(world.client.code_of("tools/call", again) == rpc::code::bad_params);  // an approval counts for one call
    again["requestState"] = world.client.modern("tools/call", call)["requestState"];
    again["inputResponses"]["approval"]["content"]["approve"] = false;
    CHECK(world.client.modern("tools/call", again)["isError"] == true);
    again["requestState"] = world.client.modern("tools/call", call)["requestState"];

    // The state belongs to other arguments, or was never given.
    again["inputResponses"]["approval"]["content"]["approve"] = true;
    again["arguments"]["amount"] = 7000;
    CHECK(world.client.code_of("tools/call", again) == rpc::code::bad_params);
    again.erase("requestState");
    CHECK(world.client.modern("tools/call", again)["resultType"] == "input_required");

    world.client.answers.push_back({{"action", "decline"}});
    CHECK(world.client.legacy("tools/call", call)["isError"] == true);
    world.client.answers.push_back({{"action", "accept"}, {"content", {{"approve", true}}}});
    CHECK(text_of(world.client.legacy("tools/call", call)) == "paid 7");
    CHECK(world.client.asked.size() == 2);
}
TEST_CASE("a running tool's progress reaches clients that request it, with rising numbers") {
    tools::Registry tools;
    tools.add(tools::make_tool("load", "Loads.", [](tools::ToolContext& context) {
        context.progress(0, 10, "begins");
        context.progress(4, 10);
        context.note("half\x1b[2J way");
        context.progress(2, 10);
        context.progress(10, 10, "all");
    }));
    Core core{CoreOptions()};
    for (auto& offer : offer_tools(tools)) core.add(std::move(offer));
    Engine engine;
    Asking client(core, engine);
    json call = {{"name", "load"}};
    client.modern("tools/call", call);
    CHECK(client.told.empty());

    call["_meta"] = testing::modern_meta();
    call["_meta"]["progressToken"] = "p1";
    client.modern("tools/call", call);

    REQUIRE(client.told.size() == 5);
    double before = -1;
    for (const auto& each : client.told) {
        CHECK(each.params.at("progressToken") == "p1");
        CHECK(each.params.at("progress").get<double>() > before);
        CHECK(each.params.at("total") == 10);
        before = each.params.at("progress").get<double>();
    }
    CHECK(before == 10);
    CHECK(client.told[0].params.at("message") == "begins");
    CHECK(client.told[2].params.at("message").get<std::string>().find('\x1b') == std::string::npos);
}
TEST_CASE("a tool asks the human only at a client that can answer during the call") {
    int calls = 0;
    tools::Registry tools;
    tools.add(tools::make_tool("choose", "Chooses.", [&](tools::ToolContext& context) -> awaitable<std::string> {
        ++calls;
        tools::ToolQuestion question;
        question.message = "Which?";
        question.form.text = R"({"type": "object", "properties": {"n": {"type": "integer"}}})";
        auto asking = context.ask(std::move(question));
        const auto answer = co_await std::move(asking);
        co_return answer.action == tools::AnswerAction::accept ? answer.content.text : "nobody";
    }));
    Core core{CoreOptions()};
    for (auto& offer : offer_tools(tools)) core.add(std::move(offer));
    Engine engine;
    Asking client(core, engine);
    const json call = {{"name", "choose"}};
    CHECK(text_of(client.legacy("tools/call", call)) == "nobody");
    client.capabilities = {{"elicitation", json::object()}};
    CHECK(text_of(client.modern("tools/call", call)) == "nobody");
    client.answers.push_back({{"action", "accept"}, {"content", {{"n", 7}}}});
    CHECK(text_of(client.legacy("tools/call", call)) == R"({"n":7})");
    CHECK(client.asked.at(0).at("params").at("message") == "Which?");
    CHECK(calls == 3);
}
TEST_CASE("a call that cannot be shown whole is refused without a request for approval") {
    World world;
    world.client.capabilities = {{"elicitation", json::object()}};
    const auto call = [&](std::size_t bytes) {
        return world.client.modern("tools/call",
                                   {{"name", "note"}, {"arguments", {{"text", std::string(bytes, 'x') + "END"}}}});
    };
    const auto shown = call(20'000)["inputRequests"]["approval"]["params"]["message"].get<std::string>();
    CHECK(shown.find("xEND") != shown.npos);
    CHECK(call(100'000)["isError"] == true);
}
TEST_CASE("a question's state expires by the engine's clock") {
    testing::ManualClock clock;
    tools::Registry tools;
    tools.add(tools::needs_approval(tools::make_tool("pay", "Pays.", [] { return 1; })));
    Engine engine{EngineOptions{.clock = &clock}};
    Core core{CoreOptions()};
    add_tools(core, tools);
    Asking client(core, engine);
    client.capabilities = {{"elicitation", json::object()}};
    json call = {{"name", "pay"}};
    call["requestState"] = client.modern("tools/call", call)["requestState"];
    call["inputResponses"]["approval"] = {{"action", "accept"}, {"content", {{"approve", true}}}};
    clock.advance(std::chrono::hours(2));
    CHECK(client.code_of("tools/call", call) == rpc::code::bad_params);
}
TEST_CASE("a tool that cannot be offered is left out with a note, and the others are offered") {
    World world;
    std::vector<std::string> notes;
    tools::Registry more;
    more.add(tools::make_tool("look", "Looks.", [] { return 1; }));
    more.add(tools::make_tool("pay", "Pays another way.", [] { return 1; }));
    add_tools(world.core, more, [&](const std::string& why) { notes.push_back(why); });
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].find("'pay'") != std::string::npos);
    CHECK(text_of(world.client.modern("tools/call", {{"name", "look"}})) == "1");
}
TEST_CASE("texts and errors of tools have no hidden characters") {
    CHECK(text_of(text_result("a\u202e\u200bb\xf3\xa0\x81\x81"
                              "c")) == "abc");
    CHECK(std::string(RpcFailure(1, "a\u202e\u200b\x1b"
                                    "b")
                          .what()) == "ab");
}
TEST_CASE("invalid answers are refused, and answers to unknown questions are ignored") {
    World world;
    json call = {{"name", "divide"}, {"arguments", {{"a", 1}, {"b", 1}}}};
    call["inputResponses"] = call["requestState"] = nullptr;  // both left out
    CHECK(world.client.code_of("tools/call", call) == 0);
    call.erase("requestState");
    call["inputResponses"] = {{"x", 12345}};
    CHECK(world.client.code_of("tools/call", call) == rpc::code::bad_params);
    call["inputResponses"] = {{"x", json::object()}};
    CHECK(world.client.code_of("tools/call", call) == 0);
    call["requestState"] = "made up";
    CHECK(world.client.code_of("tools/call", call) == rpc::code::bad_params);
}
TEST_CASE("a call's progress rises, and reaches only clients that gave a token") {
    World world;
    world.core.add(testing::fixture("count", testing::at_once([](Call& call) {
                                        for (const double done : {0.0, 2.0, 1.0, 2.0, 3.0}) call.progress(done, 3);
                                        return text_result("counted");
                                    })));
    world.client.modern("tools/call", {{"name", "count"}});
    CHECK(world.client.told.empty());

    json call = {{"name", "count"}, {"_meta", testing::modern_meta()}};
    call["_meta"]["progressToken"] = "p7";
    world.client.modern("tools/call", call);

    std::vector<json> done;
    for (const auto& each : world.client.told) {
        CHECK(each.params["progressToken"] == "p7");
        done.push_back(each.params["progress"]);
    }
    CHECK(done == std::vector<json>{0, 2, 3});
}
TEST_CASE("messages of a log reach only clients with that level") {
    World world;
    world.core.add(testing::fixture("say", testing::at_once([](Call& call) {
                                        call.log("info", "small");
                                        call.log("error", "large");
                                        return text_result("said");
                                    })));
    world.client.modern("tools/call", {{"name", "say"}});
    CHECK(world.client.told.empty());

    json call = {{"name", "say"}, {"_meta", testing::modern_meta()}};
    call["_meta"]["io.modelcontextprotocol/logLevel"] = "warning";
    world.client.modern("tools/call", call);
    REQUIRE(world.client.told.size() == 1);
    CHECK(world.client.told[0].params["data"] == "large");
}
TEST_CASE("a call is a result with the reason when it takes longer than its limit") {
    World world({.timeout = std::chrono::milliseconds(1)});
    world.core.add(testing::fixture("wait", [](Call&) {
        return []() -> awaitable<json> {
            co_await sleep_for(std::chrono::hours(1));
            co_return text_result("late");
        }();
    }));
    CHECK(world.client.modern("tools/call", {{"name", "wait"}})["isError"] == true);
}
TEST_CASE("a tool without a fitting name or schema is not offered") {
    World world;
    const auto offered = [&](const char* name, const char* schema) {
        try {
            world.core.add(testing::fixture(name, testing::at_once([](Call&) { return text_result(""); }), schema));
        } catch (const Error& error) { return error.code() != Code::usage; }
        return true;
    };
    CHECK(offered("a.b-c_D9", R"({"type": "object"})"));
    CHECK_FALSE(offered("divide", R"({"type": "object"})"));
    CHECK_FALSE(offered("two words", R"({"type": "object"})"));
    CHECK_FALSE(offered("", R"({"type": "object"})"));
    CHECK_FALSE(offered("list", R"({"type": "array"})"));
    CHECK_FALSE(offered("header", R"({"type": "object", "properties": {"a": {"type": "null", "x-mcp-header": "A"}}})"));
    CHECK_FALSE(offered("item", R"({"type": "object", "properties": {"a": {"type": "array", "items": {
        "type": "string", "x-mcp-header": "A"}}}})"));
}
