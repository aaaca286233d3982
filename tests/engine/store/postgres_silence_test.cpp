// A silent server: only calls that store data wait for ever. A client that is silent within a transaction: the server
// waits for it, with its locks.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/socket_proxy.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <functional>
#include <future>
#include <map>

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
TEST_CASE("an append asks no silent host when a read has found that host silent, and another one living") {
    auto& server = PostgresServer::shared();
    server.clear();
    SocketProxy proxy(server.socket());
    std::string url = "postgres://weft@/postgres?host=" + proxy.folder() + "," + proxy.folder();
    for (int i = 0; i < 8; ++i) url += "," + server.folder();  // ten hosts share the limit of 30 s
    PostgresStore store(url, {.connect_ms = 30'000, .silence_ms = 500, .patience_ms = 600'000});
    create(store, run_of("r1"));
    const auto batch = batch_of(store, "r1", {"a"});
    proxy.be_silent(true);
    CHECK(list(store).size() == 1);
    const auto asked = proxy.asked();

    CHECK(append(store, batch) == AppendReply::stored);

    CHECK(proxy.asked() == asked);
    proxy.be_silent(false);
}
TEST_CASE("another worker gets a lost worker's runs when the lost one was cut off within a transaction") {
    // Each call reports whether ann's lease was over when it was answered.
    const std::map<std::string, std::function<void(Store&, Batch, std::promise<bool>&)>> calls{
        {"append",
         [](Store& store, Batch batch, auto& is_over) {
             store.append(std::move(batch), [&](std::exception_ptr error, AppendReply reply) {
                 is_over.set_value(!error && reply == AppendReply::fenced);
             });
         }},
        {"heartbeat", [](Store& store, const Batch&, auto& is_over) {
             store.heartbeat({"ann", 10'000, ""}, [&](std::exception_ptr error, const HeartbeatReply& reply) {
                 is_over.set_value(!error && !reply.alive);
             });
         }}};
    for (auto& call : calls) {
        CAPTURE(call.first);
        auto& server = PostgresServer::shared();
        server.clear();
        SocketProxy proxy(server.socket());
        std::atomic<std::int64_t> time{1'000'000};
        const auto now = [&] { return time.load(); };
        PostgresStore lost("postgres://weft@/postgres?host=" + proxy.folder(),
                           {.silence_ms = 600'000, .patience_ms = 600'000, .now = now});
        PostgresStore other(server.url(), {.silence_ms = 1000, .patience_ms = 600'000, .now = now});
        heartbeat(lost, "ann");
        create(lost, run_of("r1", "ann"));
        auto batch = batch_of(lost, "r1", {"a"});

        proxy.lose_syncs(true);
        std::promise<bool> is_over;
        call.second(lost, std::move(batch), is_over);
        while (server.value_of("select count(*) from pg_stat_activity where wait_event = 'ClientRead' and xact_start < "
                               "clock_timestamp()") == "0")
            continue;
        time += 60'000'000;
        while (row(other, "r1").status != RunStatus::ready) heartbeat(other, "bob");
        proxy.lose_syncs(false);

        CHECK(is_over.get_future().get());
        CHECK(claim(other, {.owner = "bob"}).size() == 1);
    }
}
