// Lists of tools: their pages, their bounds, their lifetime, and omitted tools.
#include "tests/tools/mcp/fake_server.hpp"
#include "tools/mcp/client/tool_info.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::testing;
using namespace std::chrono_literals;

namespace {
using List = std::shared_ptr<const mcp::ToolList>;
/// A server with its own answer to tools/list.
std::shared_ptr<FakeServer> with_list(bool modern, std::function<json(FakeServer&, const mcp::Request&)> page) {
    return polite_server(
        {.modern = modern, .otherwise = [page](FakeServer& server, mcp::Request request) -> awaitable<mcp::Response> {
             if (request.method != "tools/list") co_return not_mine();
             co_return mcp::success(request.id, page(server, request));
         }});
}
List list(const std::shared_ptr<FakeServer>& server, mcp::ClientOptions options = {}) {
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s, mcp::ClientOptions given) -> awaitable<List> {
        mcp::Client client(std::make_unique<FakeWay>(std::move(s)), std::move(given));
        auto listing = client.tools();
        co_return co_await std::move(listing);
    };
    return testing::await(work(server, std::move(options)), clock);
}
/// Returns the number of requests for lists after each pause.
std::vector<int> lists_after(const std::shared_ptr<FakeServer>& server, std::vector<Duration> pauses) {
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s, std::vector<Duration> times) -> awaitable<std::vector<int>> {
        mcp::Client client(std::make_unique<FakeWay>(s), {});
        std::vector<int> counts;
        for (const auto pause : times) {
            co_await sleep_for(pause);
            auto listing = client.tools();
            co_await std::move(listing);
            counts.push_back(s->asked("tools/list"));
        }
        co_return counts;
    };
    return testing::await(work(server, std::move(pauses)), clock);
}
std::string rejected(const json& entry, bool over_http = true) {
    auto read = mcp::read_tool(entry, over_http);
    const auto* why = std::get_if<std::string>(&read);
    return why ? *why : "";
}
json with_schema(json schema) {
    auto tool = plain_tool("t");
    tool["inputSchema"] = std::move(schema);
    return tool;
}
}

TEST_CASE("all pages are fetched, also after a cursor that is empty") {
    auto server = with_list(false, [](FakeServer&, const mcp::Request& request) -> json {
        const auto cursor = request.params.value("cursor", json());
        if (cursor.is_null()) return {{"tools", json::array({plain_tool("a")})}, {"nextCursor", ""}};
        if (cursor == json("")) return {{"tools", json::array({plain_tool("b")})}, {"nextCursor", "x"}};
        return {{"tools", json::array({plain_tool("c")})}};
    });
    const auto tools = list(server);
    REQUIRE(tools->tools.size() == 3);
    CHECK(tools->tools[2].name == "c");
    CHECK(tools->find("b") == &tools->tools[1]);
    CHECK(tools->find("d") == nullptr);
}
TEST_CASE("endless pages, too many tools and too many bytes end the list, with a note") {
    int n = 0;
    auto endless = with_list(false, [&n](FakeServer&, const mcp::Request&) -> json {
        return {{"tools", json::array({plain_tool("t" + std::to_string(n))})}, {"nextCursor", std::to_string(++n)}};
    });
    CHECK(list(endless)->tools.size() == 100);
    CHECK(endless->asked("tools/list") == 100);
    auto circle = with_list(false, [](FakeServer&, const mcp::Request&) -> json {
        return {{"tools", json::array()}, {"nextCursor", "same"}};
    });
    CHECK(list(circle)->notes.size() == 1);
    CHECK(circle->asked("tools/list") == 2);

    auto many = with_list(false, [](FakeServer&, const mcp::Request&) -> json {
        auto tools = json::array();
        for (int i = 0; i < 10'000; ++i) tools.push_back(plain_tool("t" + std::to_string(i)));
        return {{"tools", tools}};
    });
    const auto some = list(many);
    CHECK(some->tools.size() == 1000);
    REQUIRE(some->notes.size() == 1);
    CHECK(some->notes[0] == "the MCP server \"files\" lists more than 1000 tools: the others are left out");
    CHECK(list(many, {.limits = {.list_bytes = 1000}})->tools.size() < 20);
}
TEST_CASE("a tool listed twice counts once, and an unusable one is left out with a reason") {
    auto server = with_list(false, [](FakeServer&, const mcp::Request&) -> json {
        auto broken = plain_tool("b");
        broken["inputSchema"] = {{"type", "array"}};
        return {{"tools", json::array({plain_tool("a"), plain_tool("a"), broken, 7, plain_tool("c")})}};
    });
    const auto tools = list(server);
    CHECK(tools->tools.size() == 2);
    CHECK(tools->notes.size() == 3);
}
TEST_CASE("a server without declared tools gets a request for its list, and has no tools when it refuses") {
    const auto listed = [](const json& capabilities, int code) {
        return list(polite_server({.otherwise = [=](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
            const std::string why = code == -32001 ? "Unauthorized" : "no";
            if (request.method == "tools/list" && code == 1) {
                auto sleeping = sleep_for(20s);
                co_await std::move(sleeping);
            } else if (request.method == "tools/list" && code != 0) co_return mcp::failure(request.id, code, why);
            if (request.method != "initialize") co_return not_mine();
            auto greeting = initialized_with();
            if (capabilities.is_discarded()) greeting.erase("capabilities");
            else greeting["capabilities"] = capabilities;
            co_return mcp::success(request.id, std::move(greeting));
        }}));
    };
    const json missing(json::value_t::discarded);
    for (const auto& capabilities :
         {missing, json(), json::object(), json{{"tools", nullptr}}, json{{"tools", true}}, json{{"prompts", {}}}})
        CHECK(listed(capabilities, 0)->tools.size() == 1);

    for (const json& nothing : {json(), json::object()})
        CHECK(list(with_list(false, [=](FakeServer&, const mcp::Request&) {
                  return json{{"tools", nothing}};
              }))->tools.empty());
    for (const int code : {-32601, -32000, -32603, 1}) {
        const auto none = listed({{"prompts", json::object()}}, code);
        CHECK(none->tools.empty());
        CHECK(none->notes.empty());
    }
    CHECK(listed({{"tools", json::object()}}, 1)->tools.size() == 1);
    CHECK_THROWS_AS(listed({{"tools", json::object()}}, -32601), mcp::ErrorResponse);
    CHECK_THROWS_AS(listed(json::object(), -32001), mcp::ErrorResponse);
}
TEST_CASE("a legacy list is fetched again only after the server's notification of a change") {
    auto server = polite_server({});
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s) -> awaitable<std::vector<int>> {
        mcp::Client client(std::make_unique<FakeWay>(s), {});
        std::vector<int> counts;
        for (int i = 0; i < 4; ++i) {
            auto listing = client.tools();
            co_await std::move(listing);
            counts.push_back(s->asked("tools/list"));
            co_await sleep_for(1h);
            mcp::Notification changed{"notifications/tools/list_changed"};
            if (i == 2) s->listener->noticed(std::move(changed), nullptr);
        }
        co_return counts;
    };
    CHECK(testing::await(work(server), clock) == std::vector<int>{1, 1, 1, 2});
}
TEST_CASE("a modern list is valid as long as the server says, and at least for five minutes") {
    auto server = with_list(true, [](FakeServer&, const mcp::Request&) -> json {
        return {{"tools", json::array({plain_tool("a")})}, {"ttlMs", 3'600'000}, {"resultType", "complete"}};
    });
    CHECK(lists_after(server, {0min, 4min, 50min, 10min}) == std::vector<int>{1, 1, 1, 2});
}
TEST_CASE("a list is cached for an hour at most, whatever the server says") {
    auto server = with_list(true, [](FakeServer&, const mcp::Request&) -> json {
        return {{"tools", json::array({plain_tool("a")})}, {"ttlMs", 86'400'000}, {"resultType", "complete"}};
    });
    CHECK(lists_after(server, {0min, 59min, 2min}) == std::vector<int>{1, 1, 2});
}
TEST_CASE("a stale list is not used when it could not be fetched again") {
    auto fails = std::make_shared<bool>(false);
    auto server = polite_server({.otherwise = [fails](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        if (request.method != "tools/list" || !*fails) co_return not_mine();
        *fails = false;
        co_return mcp::failure(request.id, -32603, "not now");
    }});
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s, std::shared_ptr<bool> fail) -> awaitable<int> {
        mcp::Client client(std::make_unique<FakeWay>(s), {});
        auto first = client.tools();
        co_await std::move(first);
        mcp::Notification changed{"notifications/tools/list_changed"};
        s->listener->noticed(std::move(changed), nullptr);
        *fail = true;
        auto second = client.tools();
        bool refused = false;
        try {
            co_await std::move(second);
        } catch (const mcp::ErrorResponse&) { refused = true; }
        CHECK(refused);
        auto third = client.tools();
        co_await std::move(third);
        co_return s->asked("tools/list");
    };
    CHECK(testing::await(work(server, fails), clock) == 3);
}
TEST_CASE("a legacy server without notifications is listed again when its list is old or messages were lost") {
    auto server = polite_server({});
    server->hears = false;
    CHECK(lists_after(server, {0min, 4min, 2min, 1h}) == std::vector<int>{1, 1, 2, 3});

    auto cut = polite_server({});
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s) -> awaitable<int> {
        mcp::Client client(std::make_unique<FakeWay>(s), {});
        for (int i = 0; i < 3; ++i) {
            auto listing = client.tools();
            co_await std::move(listing);
            if (i == 0) s->listener->missed();
        }
        co_return s->asked("tools/list");
    };
    CHECK(testing::await(work(cut), clock) == 2);
}
TEST_CASE("a modern server gets one request to announce changes when it does not, and no further lists") {
    const auto modern = [](FakeServer::Act listen) {
        return polite_server({.modern = true, .otherwise = [listen](FakeServer& server, mcp::Request request) {
                                  return request.method == "subscriptions/listen"
                                             ? listen(server, std::move(request))
                                             : [](mcp::Request r) -> awaitable<mcp::Response> {
                                      if (r.method != "server/discover") co_return not_mine();
                                      co_return mcp::success(r.id, discovered(true));
                                  }(std::move(request));
                              }});
    };
    auto refusing = modern([](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_return mcp::failure(request.id, -32601, "no such method");
    });
    CHECK(lists_after(refusing, {0min, 1min, 1min, 1min, 6min}) == std::vector<int>{1, 1, 1, 1, 2});
    CHECK(refusing->asked("subscriptions/listen") == 1);

    auto ending = modern([](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_await sleep_for(1s);
        co_return mcp::success(request.id, json::object());
    });
    CHECK(lists_after(ending, {0min, 1min, 1min, 1min, 6min}) == std::vector<int>{1, 1, 1, 1, 2});
    CHECK(ending->asked("subscriptions/listen") == 2);
}
TEST_CASE("a list takes at most a minute, however many pages it has") {
    int n = 0;
    auto slow = polite_server({.otherwise = [&n](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        if (request.method != "tools/list") co_return not_mine();
        co_await sleep_for(20s);
        json page = {{"tools", json::array()}, {"nextCursor", std::to_string(++n)}};
        co_return mcp::success(request.id, std::move(page));
    }});
    CHECK_THROWS_WITH_AS(list(slow), "the MCP server \"files\" did not list its tools within 60 s", Error);
    CHECK(slow->asked("tools/list") <= 4);
}
TEST_CASE("schemas with references to other documents are rejected, at any place of them") {
    CHECK(rejected(with_schema({{"type", "object"}, {"properties", {{"a", {{"$ref", "https://evil.org/s"}}}}}})) ==
          "the tool \"t\" is left out: it has a schema of its arguments that refers to something outside of it "
          "(https://evil.org/s), which is not fetched");
    CHECK(rejected(with_schema({{"type", "object"},
                                {"patternProperties", {{"a", json::object()}}},
                                {"properties", {{"b", {{"items", {{"$ref", "file:///etc/passwd"}}}}}}}})) != "");
    CHECK(rejected(with_schema({{"type", "object"}, {"$defs", {{"x", {{"$dynamicRef", "other#y"}}}}}})) != "");
    CHECK(rejected(with_schema({{"type", "object"}, {"properties", {{"$ref", {{"type", "string"}}}}}})) == "");
    CHECK(rejected(with_schema({{"type", "object"},
                                {"properties", {{"a", {{"$ref", "#/$defs/x"}}}}},
                                {"$defs", {{"x", json::object()}}}})) == "");
    CHECK(rejected(with_schema(
              {{"type", "object"}, {"properties", {{"a", {{"default", {{"$ref", "https://x"}}}}}}}})) == "");
}
TEST_CASE(
    "tools are rejected when their schema has an unknown dialect or is not an object, or they run only as tasks") {
    CHECK(rejected(with_schema({{"type", "string"}})) != "");
    CHECK(rejected(with_schema({{"type", "object"}, {"$schema", "https://evil.org/dialect"}}))
              .find("https://evil.org/dialect") != std::string::npos);
    for (const char* dialect :
         {"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft/2020-12/schema",
          "https://json-schema.org/draft/2020-12/schema"})
        CHECK(rejected(with_schema({{"type", "object"}, {"$schema", dialect}})) == "");
    auto task = plain_tool("t");
    task["execution"] = {{"taskSupport", "required"}};
    CHECK(rejected(task) == "the tool \"t\" is left out: it runs as a task only, which is not supported");
    auto large = plain_tool("t");
    large["description"] = std::string(300'000, 'x');
    CHECK(rejected(large) != "");
}
TEST_CASE("a schema of arguments is completed when it has only one meaning") {
    const auto read = [](json entry) { return std::get<mcp::ToolInfo>(mcp::read_tool(entry, false)).arguments; };
    const auto arguments = [&](const char* schema) { return read(with_schema(json::parse(schema))); };
    auto without = plain_tool("t");
    without.erase("inputSchema");
    const json none = {{"type", "object"}};

    CHECK(read(without) == none);
    for (const char* schema : {"null", "{}", "[]", R"({"type": null})", R"({"type": "OBJECT"})",
                               R"({"type": ["object", "null"]})", R"({"properties": null, "required": null})"})
        CHECK(arguments(schema) == none);
    CHECK(arguments(R"({"properties": {"a": {"type": "STRING"}, "b": [], "type": {"type": "Array", "items": []}}})") ==
          json::parse(R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {},
                          "type": {"type": "array", "items": {}}}})"));
    CHECK(arguments(R"({"type": "object", "properties": []})") ==
          json{{"type", "object"}, {"properties", json::object()}});
    CHECK(arguments(
              R"({"type": "object", "properties": {"a": {"enum": ["STRING"], "default": []}}})")["properties"]["a"] ==
          json{{"enum", {"STRING"}}, {"default", json::array()}});
    for (const char* schema : {R"({"type": "ARRAY"})", R"({"type": 7})", R"("object")", "[1]"})
        CHECK(rejected(with_schema(json::parse(schema))) != "");
}
TEST_CASE("hidden characters are removed from texts, and a name with hidden characters is invalid") {
    auto tool = plain_tool("t");
    tool["description"] = "Reads\u202e a\u200b file.\x1b[31m\n\U000E0041ok";
    tool["inputSchema"] = {{"type", "object"}, {"properties", {{"a", {{"description", "the\u2066 path"}}}}}};
    auto read = std::get<mcp::ToolInfo>(mcp::read_tool(tool, false));
    CHECK(read.description == "Reads a file.[31m\nok");
    CHECK(read.arguments["properties"]["a"]["description"] == "the path");

    CHECK(rejected(plain_tool("a\u200b")) != "");
    CHECK(rejected(with_schema({{"type", "object"}, {"properties", {{"a\u202e", json::object()}}}})) != "");
    CHECK(rejected(with_schema({{"type", "object"}, {"properties", {{"a", {{"enum", {"x\U000E0041"}}}}}}})) != "");
    CHECK(rejected(with_schema({{"type", "object"}, {"properties", {{"a", {{"default", "\r\n"}}}}}})) == "");
}
TEST_CASE("a tool's fingerprint changes with each part of its description") {
    const auto print = [](const json& entry) {
        return std::get<mcp::ToolInfo>(mcp::read_tool(entry, false)).fingerprint;
    };
    const auto tool = plain_tool("t");
    CHECK(print(tool) == print(tool));
    const json changes = {{"description", "Other."},
                          {"title", "T"},
                          {"annotations", {{"readOnlyHint", true}}},
                          {"inputSchema", {{"type", "object"}, {"title", "x"}}},
                          {"outputSchema", {{"type", "object"}}}};
    for (const auto& change : changes.items()) {
        auto other = tool;
        other[change.key()] = change.value();
        CHECK_MESSAGE(print(other) != print(tool), change.key());
    }
}
TEST_CASE("a schema is validated except the parts that only the server can validate") {
    const auto weak = mcp::checkable(
        {{"type", "object"},
         {"patternProperties", {{"^x", {{"type", "string"}}}}},
         {"additionalProperties", false},
         {"properties",
          {{"a", {{"type", "string"}, {"pattern", "(?=x)y"}}},
           {"b", {{"type", "array"}, {"prefixItems", json::array({json::object()})}, {"items", false}}},
           {"c", {{"$ref", "#anchor"}}},
           {"d", {{"type", "integer"}, {"minimum", 3}}}}}},
        true);
    CHECK_FALSE(weak.contains("additionalProperties"));
    CHECK(weak["properties"]["a"] == json{{"type", "string"}});
    CHECK(weak["properties"]["b"] == json{{"type", "array"}});
    CHECK(weak["properties"]["c"] == json::object());
    CHECK(weak["properties"]["d"] == json{{"type", "integer"}, {"minimum", 3}});
    CHECK(mcp::checkable({{"type", "object"}, {"properties", 7}}, true) == json{{"type", "object"}});
    CHECK(mcp::checkable({{"type", "object"}, {"$ref", "#"}}, true) == json{{"type", "object"}});
}
TEST_CASE("a tool is left out over HTTP when its arguments for headers break the rules of x-mcp-header") {
    const auto with = [](json property) {
        return with_schema({{"type", "object"}, {"properties", {{"a", std::move(property)}}}});
    };
    const auto good = with(
        {{"type", "object"}, {"properties", {{"b", {{"type", "string"}, {"x-mcp-header", "Region"}}}}}});
    auto read = std::get<mcp::ToolInfo>(mcp::read_tool(good, true));
    REQUIRE(read.headers.size() == 1);
    CHECK(read.headers[0].header == "Mcp-Param-Region");
    CHECK(mcp::header_params(read.headers, {{"a", {{"b", "eu"}}}}).at(0).second == "eu");
    CHECK(mcp::header_params(read.headers, {{"a", {{"b", nullptr}}}}).empty());
    CHECK(mcp::header_params(read.headers, {{"a", 7}}).empty());
    for (const auto& bad :
         {json{{"type", "number"}, {"x-mcp-header", "R"}}, json{{"type", "string"}, {"x-mcp-header", "a b"}},
          json{{"type", "string"}, {"x-mcp-header", ""}}, json{{"type", "string"}, {"x-mcp-header", 7}},
          json{{"type", "array"}, {"items", {{"type", "string"}, {"x-mcp-header", "R"}}}},
          json{{"anyOf", json::array({json{{"type", "string"}, {"x-mcp-header", "R"}}})}}}) {
        CHECK_MESSAGE(rejected(with(bad)) != "", bad.dump());
        CHECK(rejected(with(bad), false) == "");
    }
    CHECK(rejected(with_schema({{"type", "object"},
                                {"properties",
                                 {{"a", {{"type", "string"}, {"x-mcp-header", "R"}}},
                                  {"b", {{"type", "string"}, {"x-mcp-header", "r"}}}}}})) != "");
}
TEST_CASE("a header's value is encoded only if it is not plain") {
    CHECK(mcp::header_value("us-west 1") == "us-west 1");
    CHECK(mcp::header_value("") == "");
    CHECK(mcp::header_value(" a") == "=?base64?IGE=?=");
    CHECK(mcp::header_value("Zürich") == "=?base64?WsO8cmljaA==?=");
    CHECK(mcp::header_value("a\r\nX: y") == "=?base64?YQ0KWDogeQ==?=");
    CHECK(mcp::header_value("=?base64?YQ==?=") == "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
}
