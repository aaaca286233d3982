// A client's choice of the era, and its reaction to a server's end.
#include "tests/tools/mcp/fake_server.hpp"
#include <algorithm>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::testing;

namespace {
void connect(mcp::Client& client, ManualClock& clock) {
    auto connecting = client.connect();
    testing::await(std::move(connecting), clock);
}
void connect(mcp::Client& client) {
    ManualClock clock;
    connect(client, clock);
}
std::unique_ptr<mcp::Client> client_of(std::shared_ptr<FakeServer> server, mcp::ClientOptions options = {}) {
    return std::make_unique<mcp::Client>(std::make_unique<FakeWay>(std::move(server)), std::move(options));
}
/// A server with its own answer to server/discover, and usual answers to other requests.
std::shared_ptr<FakeServer> with_probe(bool modern, FakeServer::Act probe) {
    return polite_server({.modern = modern, .otherwise = [probe](FakeServer& server, mcp::Request request) {
                              return request.method == "server/discover"
                                         ? probe(server, std::move(request))
                                         : [](mcp::Request) -> awaitable<mcp::Response> {
                                  co_return not_mine();
                              }(std::move(request));
                          }});
}
}

TEST_CASE("a modern server gets one question for its revisions, and no other message before a call") {
    auto server = polite_server({.modern = true});
    auto client = client_of(server);

    connect(*client);

    CHECK(client->era() == mcp::ServerEra::modern);
    REQUIRE(server->requests.size() == 1);
    CHECK(*mcp::find_meta(server->requests[0].params, mcp::meta::version) == "2026-07-28");
    CHECK(mcp::find_meta(server->requests[0].params, mcp::meta::client)->at("name") == "weft");
    CHECK(mcp::find_meta(server->requests[0].params, mcp::meta::capabilities)->is_object());
    CHECK(server->sent[0].quiet);
    CHECK(server->notifications.empty());
    CHECK(client->instructions() == "Be kind.");
}
TEST_CASE("a server without the modern question gets a legacy handshake without modern members") {
    auto server = polite_server({});
    auto client = client_of(server);

    connect(*client);

    CHECK(client->era() == mcp::ServerEra::legacy);
    CHECK(server->opened == 1);
    CHECK(server->last("initialize").params.at("protocolVersion") == "2025-11-25");
    CHECK_FALSE(server->last("initialize").params.contains("_meta"));
    CHECK(server->agreed == std::vector<std::string>{"2025-11-25"});
    REQUIRE(server->notifications.size() == 1);
    CHECK(server->notifications[0].method == "notifications/initialized");
}
TEST_CASE("a server silent at the modern question gets a legacy handshake after three seconds") {
    ManualClock clock;
    const auto begin = clock.now();
    auto server = with_probe(false, [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_await sleep_for(std::chrono::hours(1));
        co_return mcp::success(request.id, {});
    });
    auto client = client_of(server);

    connect(*client, clock);

    CHECK(client->era() == mcp::ServerEra::legacy);
    CHECK(clock.now() - begin == std::chrono::seconds(3));
}
TEST_CASE("a server ending at the modern question is started again, and gets a legacy handshake") {
    auto server = with_probe(false, [](FakeServer& self, mcp::Request) -> awaitable<mcp::Response> {
        self.end();
        throw mcp::TransportError(mcp::TransportFailure::ended, "gone");
        co_return not_mine();
    });
    auto client = client_of(server);

    connect(*client);

    CHECK(client->era() == mcp::ServerEra::legacy);
    CHECK(server->opened == 2);
}
TEST_CASE("a slowly starting modern server is recognised late") {
    auto slow = std::make_shared<bool>(true);
    auto server = with_probe(true, [slow](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        if (std::exchange(*slow, false)) co_await sleep_for(std::chrono::seconds(10));
        co_return mcp::success(request.id, discovered());
    });
    auto client = client_of(server);

    connect(*client);

    CHECK(client->era() == mcp::ServerEra::modern);
    CHECK(server->asked("initialize") == 1);
}
TEST_CASE("a modern server that first refuses the version gets the question once more, and no handshake") {
    auto first = std::make_shared<bool>(true);
    auto server = with_probe(true, [first](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        json data = {{"supported", json::array({"2026-07-28"})}};
        if (std::exchange(*first, false)) co_return mcp::failure(request.id, -32022, "no", std::move(data));
        co_return mcp::success(request.id, discovered());
    });
    auto client = client_of(server);

    connect(*client);

    CHECK(client->era() == mcp::ServerEra::modern);
    CHECK(server->asked("initialize") == 0);
}
TEST_CASE("a server of unknown revisions only is refused by name") {
    auto server = with_probe(true, [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        json data = {{"supported", json::array({"2031-01-01"})}};
        co_return mcp::failure(request.id, -32022, "no", std::move(data));
    });
    auto client = client_of(server);
    CHECK_THROWS_WITH_AS(connect(*client), doctest::Contains("2031-01-01"), Error);

    auto odd = polite_server({.otherwise = [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        if (request.method != "initialize") co_return not_mine();
        json result = {{"protocolVersion", "1999-01-01"}};
        co_return mcp::success(request.id, std::move(result));
    }});
    auto other = client_of(odd);
    CHECK_THROWS_WITH_AS(connect(*other), doctest::Contains("1999-01-01"), Error);
    CHECK(odd->closed == 1);
}
TEST_CASE("a client over HTTP falls back to the legacy era only when the answer to its probe is not a message") {
    for (const auto trouble : {mcp::TransportFailure::needs_token, mcp::TransportFailure::unreachable}) {
        auto server = with_probe(false, [trouble](FakeServer&, mcp::Request) -> awaitable<mcp::Response> {
            throw mcp::TransportError(trouble, "no");
            co_return not_mine();
        });
        server->kind = mcp::Transport::Kind::http;
        auto client = client_of(server);
        CHECK_THROWS_AS(connect(*client), mcp::TransportError);
        CHECK(server->asked("initialize") == 0);
    }
    for (const auto trouble :
         {mcp::TransportFailure::refused, mcp::TransportFailure::forbidden, mcp::TransportFailure::failed,
          mcp::TransportFailure::unusable, mcp::TransportFailure::ended}) {
        auto server = with_probe(false, [trouble](FakeServer&, mcp::Request) -> awaitable<mcp::Response> {
            throw mcp::TransportError(trouble, "no");
            co_return not_mine();
        });
        server->kind = mcp::Transport::Kind::http;
        auto client = client_of(server);
        connect(*client);
        CHECK(client->era() == mcp::ServerEra::legacy);
    }
}
TEST_CASE("the next request starts an ended server, with its known era") {
    for (const bool modern : {false, true}) {
        auto server = polite_server({.modern = modern});
        auto client = client_of(server);
        connect(*client);
        const auto probes = server->asked("server/discover");
        server->end();

        auto listing = client->tools();
        ManualClock clock;
        const auto list = testing::await(std::move(listing), clock);

        CHECK(list->tools.size() == 1);
        CHECK(server->opened == 2);
        CHECK(server->asked("server/discover") == probes);
        CHECK(server->asked("initialize") == (modern ? 0 : 2));
    }
}
TEST_CASE("a server that never gets ready is stopped after half a minute") {
    ManualClock clock;
    const auto begin = clock.now();
    auto server = std::make_shared<FakeServer>();
    server->act = [](FakeServer&, mcp::Request) -> awaitable<mcp::Response> {
        co_await sleep_for(std::chrono::hours(1));
        co_return not_mine();
    };
    auto client = client_of(server);

    CHECK_THROWS_WITH_AS(connect(*client, clock), doctest::Contains("was not ready within 30"), mcp::TransportError);
    CHECK(clock.now() - begin == std::chrono::seconds(30));
    CHECK(server->closed == 1);
}
TEST_CASE("a server that never gets ready is quoted when it has written an invalid line") {
    auto server = std::make_shared<FakeServer>();
    server->odd_line = "Content-Length: 97\x1b[0m\r";
    server->act = [](FakeServer&, mcp::Request) -> awaitable<mcp::Response> {
        co_await sleep_for(std::chrono::hours(1));
        co_return not_mine();
    };
    auto client = client_of(server);

    CHECK_THROWS_WITH_AS(connect(*client),
                         "the MCP server \"files\" was not ready within 30 s of its start: it wrote the line "
                         "\"Content-Length: 97 [0m\" to its standard output, which is not a message of MCP: it has to "
                         "write each message there as JSON on one line, and its logs to standard error",
                         mcp::TransportError);
}
TEST_CASE("any number of parallel requests make one connection") {
    auto server = polite_server({.otherwise = [](FakeServer&, mcp::Request) -> awaitable<mcp::Response> {
        co_await sleep_for(std::chrono::seconds(1));
        co_return not_mine();
    }});
    auto client = client_of(server);
    ManualClock clock;
    auto three = [](mcp::Client& c) -> awaitable<int> {
        const Runtime runtime = *co_await this_runtime();
        auto ended = std::make_shared<int>(0);
        Signal signal;
        for (int i = 0; i < 3; ++i)
            spawn(runtime, c.tools(), [ended, signal](std::exception_ptr error, std::shared_ptr<const mcp::ToolList>) {
                if (!error && ++*ended == 3) signal.ring();
            });
        co_await signal.wait();
        co_return *ended;
    };

    CHECK(testing::await(three(*client), clock) == 3);
    CHECK(server->asked("initialize") == 1);
    CHECK(server->asked("tools/list") == 1);
}
