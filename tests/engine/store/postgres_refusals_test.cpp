// Calls that a server refuses for want of a resource, which may be free later.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include <doctest/doctest.h>

using namespace stores;

namespace {
/// During its lifetime, the server cannot store a tick, for the reason of this SQLSTATE.
struct WithoutRoom {
    WithoutRoom(PostgresServer& s, const std::string& state, const std::string& message) : server(s) {
        server.sql("create function weft.refuse() returns trigger language plpgsql as $$ begin raise exception '" +
                   message + "' using errcode = '" + state +
                   "'; end $$; create trigger refuse before insert on weft.ticks for each row execute function "
                   "weft.refuse()");
    }
    WithoutRoom(const WithoutRoom&) = delete;
    ~WithoutRoom() { server.sql("drop function weft.refuse cascade"); }
    PostgresServer& server;
};
}

TEST_CASE("a call is refused when the server has no space, memory or transaction ids, and is stored later") {
    const std::pair<std::string, std::string> rows[] = {{"53100", "could not extend file: No space left on device"},
                                                        {"53200", "out of memory"},
                                                        {"54000", "database is not accepting commands to avoid "
                                                                  "wraparound data loss"}};
    for (const auto& [state, message] : rows) {
        auto& server = PostgresServer::shared();
        server.clear();
        PostgresStore store(server.url());
        create(store, run_of("r1"));
        create(store, run_of("r2"));
        const auto batch = batch_of(store, "r1", {"a"});

        Refusal refused;
        {
            const WithoutRoom full(server, state, message);
            refused = refusal([&] { append(store, batch); });
            CHECK(list(store).size() == 2);
        }

        CHECK(refused.code == Code::journal);
        CHECK(refused.sentence ==
              "the store '" + server.url() + "' refused a call for run r1: " + message + " (" + state + ")");
        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1"});
        CHECK(append(store, batch) == AppendReply::stored);
        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1", "a"});
        CHECK(append(store, batch_of(store, "r2", {"b"})) == AppendReply::stored);
    }
}

TEST_CASE("a call gives up when the server keeps changing nothing for it") {
    auto& server = PostgresServer::shared();
    server.clear();
    PostgresStore store(server.url());
    create(store, run_of("r1"));
    const auto batch = batch_of(store, "r1", {"a"});
    auto debounced = run_of("r3", "");
    debounced.debounce = "customer 7";
    debounced.not_before = 4'000'000'000'000'000;  // in 2096
    server.sql("create function weft.skip() returns trigger language plpgsql as $$ begin return null; end $$; "
               "create trigger skip before insert or update on weft.runs for each row execute function weft.skip()");

    const auto created = refusal([&] { create(store, run_of("r2")); });
    const auto started = refusal([&] { create(store, debounced); });
    const auto appended = refusal([&] { append(store, batch); });

    const std::string why = " was changed by other processes too often, and a call about it was given up: try again";
    CHECK(created.sentence == "run r2" + why);
    CHECK(started.sentence == "run r3" + why);
    CHECK(appended.sentence == "run r1" + why);
    server.sql("drop function weft.skip cascade");
    CHECK(append(store, batch) == AppendReply::stored);
}
