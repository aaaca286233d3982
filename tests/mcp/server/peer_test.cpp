// Calls of one client: each gets its answer, and does no harm when core and engine are destroyed.
#include "engine/asio.hpp"
#include "engine/timeout.hpp"
#include "tests/mcp/server/asking.hpp"
#include "tests/mcp/server/fixtures.hpp"
#include "workflows/mcp/peer.hpp"
#include "workflows/mcp/sessions.hpp"
#include <boost/asio/io_context.hpp>

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;

namespace {
awaitable<json> wait_for_ever(Signal begun) {
    begun.ring();
    co_await sleep_for(std::chrono::hours(1));
    co_return text_result("late");
}
CallClient caller(std::string principal = {}) {
    CallClient asker;
    asker.era = ClientEra::modern;
    asker.principal = std::move(principal);
    return asker;
}
/// Returns the message in the box at the end of the call, or null.
awaitable<json> respond(std::shared_ptr<Peer> peer, std::string method, json params, std::string principal) {
    const auto box = std::make_shared<Outbox>();
    rpc::Request request{std::int64_t(1), std::move(method), std::move(params)};
    peer->begin(std::move(request), caller(std::move(principal)), Envelope(), box);
    Outbox::OutboxReader reader;
    auto taking = box->take(reader);
    const auto messages = co_await std::move(taking);
    if (messages.empty()) co_return json();
    co_return json::parse(messages[0]);
}
awaitable<void> begin_and_wait(std::shared_ptr<Peer> peer, std::string principal, Signal begun, std::int64_t id) {
    rpc::Request request{id, std::string(rpc::method::call_tool), {{"name", "wait"}}};
    peer->begin(std::move(request), caller(std::move(principal)), Envelope(), std::make_shared<Outbox>());
    auto ring = begun.wait();
    co_await std::move(ring);
}
Method method_of(std::function<json()> function) {
    return {testing::at_once([function](Call&) { return function(); })};
}
}

TEST_CASE("a call is harmless when it continues after its core and its engine are destroyed") {
    auto engine = std::make_unique<Engine>();
    auto core = std::make_unique<Core>(CoreOptions());
    const Signal begun;
    core->add(testing::fixture("wait", [begun](Call&) { return wait_for_ever(begun); }));
    auto peer = std::make_shared<Peer>(*core, engine->first_runtime());
    engine->wait(begin_and_wait(peer, "", begun, 1));
    CHECK(core->calls() == 1);

    core.reset();
    peer.reset();
    engine.reset();
}
TEST_CASE("a request is answered whatever its handler does, unless the client has cancelled it") {
    Engine engine;
    Core core{CoreOptions()};
    core.add("refused", method_of([]() -> json {
                 throw boost::system::system_error(asio::error::make_error_code(asio::error::connection_refused));
             }));
    core.add("aborted", method_of([]() -> json {
                 throw boost::system::system_error(asio::error::make_error_code(asio::error::operation_aborted));
             }));
    core.add("odd", method_of([]() -> json { throw 7; }));
    core.add("no_meta", method_of([] { return json{{"_meta", "x"}}; }));
    const auto answer = [&](const char* method) {
        return engine.wait(respond(std::make_shared<Peer>(core, engine.first_runtime()), method, json::object(), ""));
    };
    for (const char* method : {"refused", "aborted", "odd"}) {
        const auto told = answer(method);
        REQUIRE(told.is_object());
        CHECK(told["error"]["code"] == rpc::code::ours);
    }
    CHECK(answer("no_meta")["result"]["_meta"].is_object());
}
TEST_CASE("a caller cannot take all places for calls, with any number of sessions") {
    Engine engine;
    Core core({.calls_of_caller = 2});
    const Signal begun;
    core.add(testing::fixture("wait", [begun](Call&) { return wait_for_ever(begun); }));
    core.add(testing::fixture("say", testing::at_once([](Call&) { return text_result("said"); })));
    std::vector<std::shared_ptr<Peer>> peers;
    for (int i = 0; i < 2; ++i) {
        peers.push_back(std::make_shared<Peer>(core, engine.first_runtime()));
        engine.wait(begin_and_wait(peers.back(), "a", begun, i));
    }
    const auto say = [&](const char* principal) {
        return engine.wait(respond(std::make_shared<Peer>(core, engine.first_runtime()),
                                   std::string(rpc::method::call_tool), {{"name", "say"}}, principal))["result"];
    };
    CHECK(say("a")["isError"] == true);
    CHECK_FALSE(say("b").contains("isError"));
    CHECK(core.calls() == 2);
}
TEST_CASE("a client that begins many sessions displaces only its own") {
    asio::io_context io;
    const Runtime runtime{io.get_executor()};
    const Core core{CoreOptions()};
    Sessions sessions(4, std::chrono::hours(1));
    const auto quiet = sessions.open(core, runtime, "a");
    for (int i = 0; i < 20; ++i) sessions.open(core, runtime, "b");
    CHECK(sessions.size() == 4);
    CHECK(sessions.find(quiet->id, "a", *runtime.clock) == quiet);
    sessions.close_all();
}
