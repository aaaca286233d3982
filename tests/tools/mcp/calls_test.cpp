// Calls of tools: requests, messages during a call, and ends of a call.
#include "tests/tools/mcp/fake_server.hpp"
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::testing;
using namespace std::chrono_literals;

namespace {
mcp::CallResult call(const std::shared_ptr<FakeServer>& server, mcp::CallOptions options = {},
                     std::string tool = "read", bool list_first = false) {
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s, mcp::CallOptions given, std::string name,
                   bool list) -> awaitable<mcp::CallResult> {
        mcp::Client client(std::make_unique<FakeWay>(std::move(s)), {});
        if (list) {
            auto listing = client.tools();
            co_await std::move(listing);
        }
        mcp::CallToolParams wanted;
        wanted.tool = std::move(name);
        wanted.arguments["path"] = "a.txt";
        auto calling = client.call(std::move(wanted), std::move(given));
        co_return co_await std::move(calling);
    };
    return testing::await(work(server, std::move(options), std::move(tool), list_first), clock);
}
/// A server with its own answer to tools/call.
std::shared_ptr<FakeServer> with_call(bool modern, FakeServer::Act act,
                                      json tools = json::array({plain_tool("read")})) {
    return polite_server(
        {.modern = modern, .tools = std::move(tools), .otherwise = [act](FakeServer& server, mcp::Request request) {
             return request.method == "tools/call" ? act(server, std::move(request))
                                                   : [](int) -> awaitable<mcp::Response> { co_return not_mine(); }(0);
         }});
}
awaitable<mcp::Response> give(mcp::Request request, json result) {
    co_return mcp::success(request.id, std::move(result));
}
mcp::Elicit answering(mcp::ElicitResult result, std::vector<mcp::ElicitRequest>* seen = nullptr) {
    return [result, seen](mcp::ElicitRequest request) -> awaitable<mcp::ElicitResult> {
        if (seen) seen->push_back(std::move(request));
        co_return result;
    };
}
json form_question() {
    return {{"mode", "form"},
            {"message", "Sure\u202e?"},
            {"requestedSchema",
             {{"type", "object"},
              {"properties", {{"sure", {{"type", "boolean"}}}, {"times", {{"type", "integer"}, {"default", 2}}}}},
              {"required", json::array({"sure"})}}}};
}
}

TEST_CASE("a call sends the tool's own name and its arguments, and returns the server's answer") {
    auto server = polite_server({.modern = true});
    const auto result = call(server);

    CHECK(server->last("tools/call").params.at("name") == "read");
    CHECK(server->last("tools/call").params.at("arguments") == json{{"path", "a.txt"}});
    CHECK(result.content == text_result("done").at("content"));
    CHECK_FALSE(result.is_error);
}
TEST_CASE("an error of the tool is a result, and an error of the protocol is thrown with its code") {
    auto failing = with_call(true, [](FakeServer&, mcp::Request request) {
        auto result = text_result("no such file");
        result["isError"] = true;
        return give(std::move(request), std::move(result));
    });
    CHECK(call(failing).is_error);

    auto refusing = with_call(false, [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_return mcp::failure(request.id, -32602, "Unknown tool");
    });
    CHECK_THROWS_WITH_AS(call(refusing),
                         R"(the MCP server "files" refused the tool "read": Unknown tool (code -32602))",
                         mcp::ErrorResponse);
}
TEST_CASE("progress is reported while it rises, and only for a call that requests it") {
    auto server = with_call(false, [](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        for (const double done : {1.0, 3.0, 2.0, 4.0}) {
            mcp::Notification told{"notifications/progress"};
            told.params["progressToken"] = std::get<std::int64_t>(request.id);
            told.params["progress"] = done;
            told.params["message"] = "at\x1b[1m work";
            self.listener->noticed(std::move(told), nullptr);
            mcp::Notification stranger{"notifications/progress"};
            stranger.params["progressToken"] = "7";
            stranger.params["progress"] = 9;
            self.listener->noticed(std::move(stranger), nullptr);
        }
        co_return mcp::success(request.id, text_result("done"));
    });
    std::vector<double> seen;
    mcp::CallOptions options;
    options.progress = [&](const mcp::CallProgress& progress) {
        seen.push_back(progress.progress);
        CHECK(progress.message == "at [1m work");
    };

    call(server, std::move(options));

    CHECK(seen == std::vector<double>{1, 3, 4});
    CHECK(mcp::find_meta(server->last("tools/call").params, "progressToken")->is_number_integer());
    call(server);
    CHECK_FALSE(server->last("tools/call").params.contains("_meta"));
}
TEST_CASE("a call fails after a silent minute, or after ten minutes of progress") {
    auto silent = with_call(false, [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_await sleep_for(1h);
        co_return mcp::success(request.id, text_result("done"));
    });
    CHECK_THROWS_WITH_AS(call(silent), doctest::Contains("gave no result within 60"), Error);
    CHECK(silent->given_up.size() == 1);

    auto busy = with_call(false, [](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        for (int i = 1; i < 1000; ++i) {
            co_await sleep_for(30s);
            mcp::Notification told{"notifications/progress"};
            told.params["progressToken"] = std::get<std::int64_t>(request.id);
            told.params["progress"] = i;
            self.listener->noticed(std::move(told), nullptr);
        }
        co_return mcp::success(request.id, text_result("done"));
    });
    int heard = 0;
    mcp::CallOptions options;
    options.progress = [&](const mcp::CallProgress&) { ++heard; };
    CHECK_THROWS_WITH_AS(call(busy, std::move(options)), doctest::Contains("gave no result within 600 s"), Error);
    CHECK(heard >= 19);  // one for each half minute of ten
    CHECK(heard <= 20);
    CHECK(busy->given_up.size() == 1);
}
TEST_CASE("a call has its whole time, however long the calls before it take") {
    auto server = with_call(false, [](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        co_await sleep_for(self.asked("tools/call") < 4 ? Duration(35s) : Duration(1h));
        co_return mcp::success(request.id, text_result("done"));
    });
    ManualClock clock;
    Duration took{};
    auto work = [](std::shared_ptr<FakeServer> s, ManualClock& time, Duration& taken) -> awaitable<void> {
        mcp::Client client(std::make_unique<FakeWay>(std::move(s)), {});
        for (;;) {
            mcp::CallToolParams wanted{.tool = "read"};
            mcp::CallOptions options;
            const auto begin = time.now();
            auto calling = client.call(std::move(wanted), std::move(options));
            try {
                co_await std::move(calling);
            } catch (const Error&) {
                taken = time.now() - begin;
                co_return;
            }
        }
    };
    testing::await(work(server, clock, took), clock);
    CHECK(server->asked("tools/call") == 4);
    CHECK(took == 60s);
}
TEST_CASE("a call with a shorter time limit ends before earlier calls") {
    auto server = with_call(false, [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_await sleep_for(1h);
        co_return mcp::success(request.id, text_result("done"));
    });
    ManualClock clock;
    std::vector<Duration> ends;
    auto call_within = [](mcp::Client& client, Duration limit, ManualClock& time,
                          std::vector<Duration>& ended) -> awaitable<void> {
        mcp::CallToolParams wanted{.tool = "read"};
        mcp::CallOptions options;
        options.quiet = limit;
        const auto begin = time.now();
        auto calling = client.call(std::move(wanted), std::move(options));
        try {
            co_await std::move(calling);
        } catch (const Error&) { ended.push_back(time.now() - begin); }
    };
    auto work = [&](std::shared_ptr<FakeServer> s) -> awaitable<void> {
        mcp::Client client(std::make_unique<FakeWay>(std::move(s)), {});
        auto connecting = client.connect();
        co_await std::move(connecting);
        const Runtime runtime = *co_await this_runtime();
        for (const auto limit : {30s, 7s, 100s})
            spawn(runtime, call_within(client, limit, clock, ends), asio::detached);
        co_await sleep_for(2h);
    };
    testing::await(work(server), clock);
    CHECK(ends == std::vector<Duration>{7s, 30s, 100s});
}
TEST_CASE("a client without a process leaves no pending work when its calls have ended") {
    for (const auto kind : {mcp::Transport::Kind::http, mcp::Transport::Kind::stdio}) {
        auto server = polite_server({});
        server->kind = kind;
        server->hears = kind == mcp::Transport::Kind::stdio;
        ManualClock clock;
        const auto begin = clock.now();
        mcp::Client client(std::make_unique<FakeWay>(server), {});
        auto work = [](mcp::Client& c, FakeServer& s) -> awaitable<void> {
            mcp::CallToolParams wanted{.tool = "read"};
            mcp::CallOptions options;
            auto calling = c.call(std::move(wanted), std::move(options));
            co_await std::move(calling);
            if (s.kind == mcp::Transport::Kind::stdio) s.end();
        };
        testing::await(work(client, *server), clock);
        CHECK(clock.now() == begin);
    }
}
TEST_CASE("a client may outlive the loop of its calls") {
    auto server = polite_server({});
    mcp::Client client(std::make_unique<FakeWay>(server), {});
    for (const char* loop : {"the first", "the second"}) {
        CAPTURE(loop);
        asio::io_context io{1};
        bool called = false;
        auto work = [](mcp::Client& c, bool& done) -> awaitable<void> {
            mcp::CallToolParams wanted{.tool = "read"};
            mcp::CallOptions options;
            auto calling = c.call(std::move(wanted), std::move(options));
            co_await std::move(calling);
            done = true;
        };
        spawn(io.get_executor(), work(client, called), asio::detached);
        while (!called && io.run_one() > 0) {}
        CHECK(called);
    }
}
TEST_CASE("a cancelled call is cancelled on the server") {
    auto server = with_call(true, [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_await sleep_for(30s);
        co_return mcp::success(request.id, text_result("done"));
    });
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s) -> awaitable<void> {
        mcp::Client client(std::make_unique<FakeWay>(std::move(s)), {});
        mcp::CallToolParams wanted;
        wanted.tool = "read";
        mcp::CallOptions options;
        auto calling = client.call(std::move(wanted), std::move(options));
        try {
            co_await with_timeout(5s, std::move(calling));
        } catch (const Error&) {}
        co_await sleep_for(1s);
    };

    testing::await(work(server), clock);

    CHECK(server->given_up.size() == 1);
}
TEST_CASE("structured content is validated against the tool's schema") {
    auto tool = plain_tool("read");
    tool["outputSchema"] = {{"type", "object"}, {"properties", {{"size", {{"type", "integer"}}}}}};
    const auto structured = [&](json content) {
        return with_call(
            false,
            [content](FakeServer&, mcp::Request request) {
                auto result = text_result("text");
                if (!content.is_null()) result["structuredContent"] = content;
                return give(std::move(request), std::move(result));
            },
            json::array({tool}));
    };
    CHECK(call(structured({{"size", 7}}), {}, "read", true).mismatch == "");
    CHECK(call(structured({{"size", "large"}}), {}, "read", true).mismatch ==
          "structuredContent.size: expected integer, got a string");
    CHECK(call(structured(nullptr), {}, "read", true).mismatch.find("missing") != std::string::npos);
}
TEST_CASE("a question of a legacy server reaches the caller, and its answer is sent with defaults") {
    auto server = with_call(false, [](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        self.listener->asked({std::string("q1"), "elicitation/create", form_question()}, nullptr);
        self.listener->asked({std::int64_t(2), "ping"}, nullptr);
        self.listener->asked({std::int64_t(3), "sampling/createMessage"}, nullptr);
        while (self.answers.size() < 3) co_await sleep_for(1s);
        co_return mcp::success(request.id, text_result("done"));
    });
    std::vector<mcp::ElicitRequest> seen;
    mcp::ElicitResult yes{.action = mcp::ElicitResult::Action::accept, .content = {{"sure", true}}};
    mcp::CallOptions options;
    options.elicit = answering(yes, &seen);

    call(server, std::move(options));

    REQUIRE(seen.size() == 1);
    CHECK(seen[0].message == "Sure?");
    CHECK(seen[0].server == "files");
    for (const auto& answer : server->answers) {
        if (answer.id == mcp::Id(std::string("q1")))
            CHECK(*answer.result() == json{{"action", "accept"}, {"content", {{"sure", true}, {"times", 2}}}});
        else if (answer.id == mcp::Id(std::int64_t(2))) CHECK(*answer.result() == json::object());
        else CHECK(answer.error()->code == -32601);
    }
    CHECK(server->last("initialize").params.at("capabilities").contains("elicitation"));
}
TEST_CASE("a call's time does not include the wait for a person's answer") {
    auto server = with_call(false, [](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        self.listener->asked({std::int64_t(9), "elicitation/create", form_question()}, nullptr);
        while (self.answers.empty()) co_await sleep_for(1h);
        co_return mcp::success(request.id, text_result("done"));
    });
    mcp::CallOptions options;
    options.elicit = [](mcp::ElicitRequest) -> awaitable<mcp::ElicitResult> {
        co_await sleep_for(24h);
        mcp::ElicitResult no{.action = mcp::ElicitResult::Action::decline};
        co_return no;
    };

    CHECK(call(server, std::move(options)).content == text_result("done").at("content"));
    CHECK(*server->answers[0].result() == json{{"action", "decline"}});
}
TEST_CASE("a modern server's questions are answered by calling again, with its state byte for byte") {
    auto server = with_call(true, [](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        if (self.asked("tools/call") == 1) {
            json result = {{"resultType", "input_required"}, {"requestState", "opa\u200bque"}};
            result["inputRequests"]["k"] = {{"method", "elicitation/create"}, {"params", form_question()}};
            co_return mcp::success(request.id, std::move(result));
        }
        auto result = text_result("done");
        result["resultType"] = "complete";
        co_return mcp::success(request.id, std::move(result));
    });
    mcp::ElicitResult yes{.action = mcp::ElicitResult::Action::accept, .content = {{"sure", true}}};
    mcp::CallOptions options;
    options.elicit = answering(yes);

    call(server, std::move(options));

    const auto& again = server->last("tools/call");
    CHECK(again.params.at("requestState") == "opa\u200bque");
    CHECK(again.params.at("inputResponses").at("k").at("action") == "accept");
    CHECK(again.params.at("arguments") == json{{"path", "a.txt"}});
    CHECK(mcp::find_meta(again.params, mcp::meta::capabilities)->contains("elicitation"));
    CHECK_THROWS_WITH_AS(
        call(with_call(
            true,
            [](FakeServer&, mcp::Request request) {
                json result = {{"resultType", "input_required"}};
                result["inputRequests"]["k"] = {{"method", "elicitation/create"}, {"params", form_question()}};
                return give(std::move(request), std::move(result));
            })),
        doctest::Contains("no person is here to give it"), Error);
}
TEST_CASE("a call fails when its server asks again and again") {
    auto server = with_call(true, [](FakeServer&, mcp::Request request) {
        json result = {{"resultType", "input_required"}, {"requestState", "s"}};
        return give(std::move(request), std::move(result));
    });
    CHECK_THROWS_WITH_AS(call(server), doctest::Contains("asked for input 10 times"), Error);
    CHECK(server->asked("tools/call") == 10);
}
TEST_CASE("a result of the oldest revision is read as content") {
    auto server = with_call(false, [](FakeServer&, mcp::Request request) {
        return give(std::move(request), {{"toolResult", {{"a", 1}}}});
    });
    CHECK(call(server).content == json::array({{{"type", "json"}, {"json", {{"a", 1}}}}}));
}
TEST_CASE("invalid results are errors") {
    for (const auto& result :
         {json{{"resultType", "later"}, {"content", json::array()}}, json{{"resultType", "complete"}},
          json{{"resultType", "input_required"}, {"inputRequests", {{"k", {{"method", "sampling/createMessage"}}}}}}})
        CHECK_THROWS_AS(
            call(with_call(true,
                           [result](FakeServer&, mcp::Request request) { return give(std::move(request), result); })),
            Error);
}
TEST_CASE("a call with a lost session is repeated once, in a new session") {
    auto server = with_call(false, [](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        if (self.asked("tools/call") == 1) throw mcp::TransportError(mcp::TransportFailure::session_lost, "forgotten");
        co_return mcp::success(request.id, text_result("done"));
    });
    call(server);
    CHECK(server->asked("tools/call") == 2);
    CHECK(server->asked("initialize") == 2);

    auto hopeless = with_call(false, [](FakeServer&, mcp::Request) -> awaitable<mcp::Response> {
        throw mcp::TransportError(mcp::TransportFailure::session_lost, "forgotten");
        co_return not_mine();
    });
    CHECK_THROWS_AS(call(hopeless), mcp::TransportError);
    CHECK(hopeless->asked("tools/call") == 2);
}
TEST_CASE("an error about headers repeats a call only over modern HTTP") {
    for (const bool modern : {false, true}) {
        auto server = with_call(modern, [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
            co_return mcp::failure(request.id, mcp::code::header_mismatch, "no");
        });
        server->kind = modern ? mcp::Transport::Kind::stdio : mcp::Transport::Kind::http;
        CHECK_THROWS_AS(call(server), mcp::ErrorResponse);
        CHECK(server->asked("tools/call") == 1);
    }
}
TEST_CASE("a broken call is never repeated") {
    auto server = with_call(false, [](FakeServer&, mcp::Request) -> awaitable<mcp::Response> {
        throw mcp::TransportError(mcp::TransportFailure::ended, "the process ended");
        co_return not_mine();
    });
    CHECK_THROWS_WITH_AS(call(server), "the process ended", mcp::TransportError);
    CHECK(server->asked("tools/call") == 1);
}
