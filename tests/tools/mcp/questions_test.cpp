// A server's questions to its client during calls: their call, and their end.
#include "tests/tools/mcp/fake_server.hpp"
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::testing;
using namespace std::chrono_literals;

namespace {
using Visit = std::function<awaitable<void>(mcp::Client&)>;
void meet(const std::shared_ptr<FakeServer>& server, Visit visit, ManualClock& clock) {
    auto work = [](std::shared_ptr<FakeServer> s, Visit act) -> awaitable<void> {
        mcp::Client client(std::make_unique<FakeWay>(std::move(s)), {});
        auto visiting = act(client);
        co_await std::move(visiting);
    };
    testing::await(work(server, std::move(visit)), clock);
}
void meet(const std::shared_ptr<FakeServer>& server, Visit visit) {
    ManualClock clock;
    meet(server, std::move(visit), clock);
}
awaitable<mcp::CallResult> call(mcp::Client& client, mcp::Elicit elicit) {
    mcp::CallToolParams wanted;
    wanted.tool = "read";
    mcp::CallOptions options;
    options.elicit = std::move(elicit);
    return client.call(std::move(wanted), std::move(options));
}
std::shared_ptr<FakeServer> with_call(FakeServer::Act act) {
    return polite_server({.otherwise = [act](FakeServer& server, mcp::Request request) {
        return request.method == "tools/call" ? act(server, std::move(request))
                                              : [](int) -> awaitable<mcp::Response> { co_return not_mine(); }(0);
    }});
}
void ask(FakeServer& server, std::int64_t id, const mcp::Id* during = nullptr) {
    json question = {{"mode", "form"}, {"message", "Sure?"}, {"requestedSchema", {{"type", "object"}}}};
    server.listener->asked({id, "elicitation/create", std::move(question)}, during);
}
/// A person who accepts after `time`.
mcp::Elicit person(Duration time, int* asked, int* answered = nullptr) {
    return [=](mcp::ElicitRequest) -> awaitable<mcp::ElicitResult> {
        ++*asked;
        co_await sleep_for(time);
        if (answered) ++*answered;
        mcp::ElicitResult yes{.action = mcp::ElicitResult::Action::accept};
        co_return yes;
    };
}
}

TEST_CASE("an unsendable answer does not repeat its call") {
    auto server = with_call([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        ask(self, 9);
        co_await sleep_for(5s);
        co_return mcp::success(request.id, text_result("done"));
    });
    server->on_answer = [](FakeServer&) -> awaitable<void> {
        throw mcp::TransportError(mcp::TransportFailure::session_lost, "forgotten");
        co_return;
    };
    int asked = 0;
    meet(server, [&](mcp::Client& client) -> awaitable<void> {
        auto calling = call(client, person(1s, &asked));
        const auto result = co_await std::move(calling);
        CHECK(result.content == text_result("done").at("content"));
    });
    CHECK(asked == 1);
    CHECK(server->asked("tools/call") == 1);
}
TEST_CASE("a question reaches the only call that may have asked it, and no call if there are several") {
    const mcp::Id unknown = std::int64_t(4711);
    struct Case {
        int calls;
        const mcp::Id* during;
        bool by_stream;  // the question is on the call's own stream
        int asked;
    };
    for (const Case& it : {Case{1, nullptr, false, 1}, Case{2, nullptr, false, 0}, Case{1, &unknown, false, 0},
                           Case{2, nullptr, true, 2}}) {
        CAPTURE(it.calls);
        auto server = with_call([=](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
            co_await sleep_for(1s);  // until all have arrived
            const auto id = request.id;
            ask(self, 100 + std::get<std::int64_t>(id), it.by_stream ? &id : it.during);
            co_await sleep_for(5s);
            co_return mcp::success(request.id, text_result("done"));
        });
        int asked = 0;
        meet(server, [&](mcp::Client& client) -> awaitable<void> {
            const Runtime runtime = *co_await this_runtime();
            for (int i = 0; i < it.calls; ++i) spawn(runtime, call(client, person(1s, &asked)), asio::detached);
            co_await sleep_for(20s);
        });
        CHECK(asked == it.asked);
        REQUIRE(server->answers.size() == std::size_t(it.calls));
        for (const auto& answer : server->answers)
            CHECK(answer.result()->at("action") == (it.asked > 0 ? "accept" : "cancel"));
    }
}
TEST_CASE("a call's question is withdrawn when the call ends") {
    auto server = with_call([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        ask(self, 9);
        co_await sleep_for(3s);
        co_return mcp::failure(request.id, -32603, "the disk is full");
    });
    int asked = 0, answered = 0;
    ManualClock clock;
    const auto begin = clock.now();
    CHECK_THROWS_WITH_AS(meet(
                             server,
                             [&](mcp::Client& client) -> awaitable<void> {
                                 auto calling = call(client, person(24h, &asked, &answered));
                                 co_await std::move(calling);
                             },
                             clock),
                         doctest::Contains("the disk is full"), mcp::ErrorResponse);
    CHECK(clock.now() - begin < 1min);
    CHECK(asked == 1);
    CHECK(answered == 0);
    CHECK(server->answers.empty());
}
TEST_CASE("a question withdrawn by the server ends without an answer, and the next one is asked") {
    auto server = with_call([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        ask(self, 9);
        ask(self, 10);
        co_await sleep_for(3s);
        for (const int id : {10, 9}) {
            mcp::Notification cancelled{"notifications/cancelled"};
            cancelled.params["requestId"] = id;
            self.listener->noticed(std::move(cancelled), nullptr);
        }
        ask(self, 11);
        while (self.answers.empty()) co_await sleep_for(1h);
        co_return mcp::success(request.id, text_result("done"));
    });
    int asked = 0, answered = 0;
    meet(server, [&](mcp::Client& client) -> awaitable<void> {
        auto calling = call(client, person(24h, &asked, &answered));
        const auto result = co_await std::move(calling);
        CHECK_FALSE(result.is_error);
    });
    CHECK(asked == 2);
    CHECK(answered == 1);
    REQUIRE(server->answers.size() == 1);
    CHECK(server->answers[0].id == mcp::Id(std::int64_t(11)));
}
TEST_CASE("a server that asks without end and reads no answer gets at most 64 answers") {
    auto server = with_call([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        for (int i = 0; i < 10'000; ++i)
            self.listener->asked({std::int64_t(i), i % 2 ? "ping" : "roots/list"}, nullptr);
        co_await sleep_for(1s);
        co_return mcp::success(request.id, text_result("done"));
    });
    bool held = true;
    server->on_answer = [&held](FakeServer&) -> awaitable<void> {
        while (held) co_await sleep_for(1s);
    };
    meet(server, [&](mcp::Client& client) -> awaitable<void> {
        auto first = call(client, {});
        co_await std::move(first);
        CHECK(server->answering == 64);
        held = false;
        co_await sleep_for(5s);
        auto second = call(client, {});  // a further call succeeds when they have ended
        co_await std::move(second);
        CHECK(server->answering == 128);
        co_await sleep_for(5s);
    });
}
TEST_CASE("a callback's exception does not reach the transport") {
    auto server = with_call([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        mcp::Notification told{"notifications/progress"};
        told.params = {{"progressToken", std::get<std::int64_t>(request.id)}, {"progress", 1}};
        CHECK_NOTHROW(self.listener->noticed(told, nullptr));
        CHECK_NOTHROW(self.listener->noise("a banner"));
        mcp::Notification log{"notifications/message", {{"data", "x"}}};
        CHECK_NOTHROW(self.listener->noticed(log, nullptr));
        co_return mcp::success(request.id, text_result("done"));
    });
    int thrown = 0;
    ManualClock clock;
    auto work = [](std::shared_ptr<FakeServer> s, int& count) -> awaitable<void> {
        mcp::ClientOptions options;
        options.noise = [&count](std::string_view) {
            ++count;
            throw std::runtime_error("no room");
        };
        mcp::Client client(std::make_unique<FakeWay>(std::move(s)), std::move(options));
        mcp::CallToolParams wanted;
        wanted.tool = "read";
        mcp::CallOptions how;
        how.progress = [&count](const mcp::CallProgress&) {
            ++count;
            throw std::runtime_error("no room");
        };
        auto calling = client.call(std::move(wanted), std::move(how));
        co_await std::move(calling);
    };
    testing::await(work(server, thrown), clock);
    CHECK(thrown == 3);
}
TEST_CASE("a closed client does not start its server again, also for a waiting call") {
    auto server = polite_server({});
    meet(server, [&](mcp::Client& client) -> awaitable<void> {
        auto first = call(client, {});
        co_await std::move(first);
        auto closing = client.close();
        co_await std::move(closing);
        auto second = call(client, {});
        bool refused = false;
        try {
            co_await std::move(second);
        } catch (const mcp::TransportError& error) {
            refused = std::string(error.what()) == "the MCP server \"files\" has been closed";
        }
        CHECK(refused);
    });
    CHECK(server->opened == server->closed);
    CHECK(server->asked("initialize") == 1);
}
TEST_CASE("a field keeps its type when it may also be null") {
    const auto field = [](const json& schema) {
        const json form = {{"type", "object"}, {"properties", {{"name", schema}}}};
        return mcp::read_elicit("s", {{"message", "Who?"}, {"requestedSchema", form}}).form["properties"]["name"];
    };
    const json text = {{"type", "string"}, {"title", "Name"}}, null = {{"type", "null"}};
    CHECK(field({{"anyOf", {{{"type", "string"}}, null}}, {"default", nullptr}, {"title", "Name"}}) == text);
    CHECK(field({{"oneOf", {null, text}}}) == text);
    CHECK(field({{"type", {"string", "null"}}, {"title", "Name"}}) == text);
    CHECK(field({{"type", {"null", "string"}}, {"title", "Name"}}) == text);
    CHECK(field({{"type", {"string", "null"}}, {"enum", {"a", nullptr}}, {"default", "a"}}) ==
          json{{"type", "string"}, {"enum", {"a"}}, {"default", "a"}});
    for (const auto& wrong : {json{{"anyOf", {{{"type", "string"}}, {{"type", "integer"}}}}},
                              json{{"type", {"string", "integer"}}}, json{{"anyOf", {{{"type", "object"}}, null}}}})
        CHECK_THROWS_AS(field(wrong), mcp::BadForm);
}
TEST_CASE("an error shows its data when the data have more than its message") {
    const auto refusal = [](const std::string& message, const json& data) {
        auto server = with_call([=](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
            co_return mcp::failure(request.id, mcp::code::bad_params, message, data);
        });
        std::string words;
        meet(server, [&](mcp::Client& client) -> awaitable<void> {
            auto calling = call(client, {});
            try {
                co_await std::move(calling);
            } catch (const mcp::ErrorResponse& refused) { words = refused.what(); }
        });
        return words;
    };
    const auto says = [&](const std::string& message, const json& data, const std::string& words) {
        CHECK(refusal(message, data).ends_with(": " + words + " (code -32602)"));
    };
    says("", "no such\ncolour\u202e", "no such colour");
    says("", {{"field", "colour"}}, R"({"field":"colour"})");
    says("Invalid", "no such colour", "Invalid: no such colour");
    says("Invalid: no such colour", "no such colour", "Invalid: no such colour");
    says("Invalid", {{"trace", "long"}}, "Invalid");
    says("Invalid", "", "Invalid");
    CHECK(refusal("", std::string(5000, 'x')).size() < 1000);
}
