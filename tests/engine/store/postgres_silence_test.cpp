// Calls of a PostgresStore with a silent server: only calls that store data wait for ever.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/socket_proxy.hpp"
#include <doctest/doctest.h>
#include <future>

using namespace stores;

TEST_CASE("a read behind a pending write is refused when the server is silent for long") {
    auto& server = PostgresServer::shared();
    server.clear();
    SocketProxy proxy(server.socket());
    PostgresStore store("postgres://weft@/postgres?host=" + proxy.folder(), {.silence_ms = 500, .patience_ms = 1500});
    create(store, run_of("r1"));
    auto batch = batch_of(store, "r1", {"a"});
    proxy.be_silent(true);

    std::promise<AppendReply> stored;
    store.append(std::move(batch), [&](std::exception_ptr error, AppendReply appended) {
        error ? stored.set_exception(error) : stored.set_value(appended);
    });
    const auto refused = refusal([&] { list(store); });  // in a bounded time
    proxy.be_silent(false);

    CHECK(refused.code == Code::journal);
    CHECK(refused.sentence.find("cannot be reached: the server does not answer") != std::string::npos);
    CHECK(stored.get_future().get() == AppendReply::stored);
    CHECK(list(store).size() == 1);
}
TEST_CASE("a lost connection is opened at a living host when another host of the address is silent") {
    auto& server = PostgresServer::shared();
    server.clear();
    SocketProxy proxy(server.socket());
    std::string url = "postgres://weft@/postgres?host=" + proxy.folder();
    for (int i = 0; i < 9; ++i) url += "," + server.folder();  // ten hosts share the limit of 30 s
    PostgresStore store(url, {.connect_ms = 30'000, .silence_ms = 500, .patience_ms = 20'000});
    create(store, run_of("r1"));

    proxy.be_silent(true);

    CHECK(list(store).size() == 1);
    proxy.be_silent(false);
}
