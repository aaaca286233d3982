// The texts of flow keys in a file, and files whose tables have neither these nor debounce keys.
#include "engine/store/sqlite/connection.hpp"
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/stores.hpp"
#include <doctest/doctest.h>

using namespace stores;

namespace {
NewRun run_of_tenant(const std::string& id, const std::string& owner) {
    auto run = run_of(id, owner);
    run.queue = "mail";
    run.ticks = ticks(0, {R"({"at":1,"values":{"tenant":"a"}})"});
    return run;
}
void limit_tenants(Store& store) {
    answer_of<bool>(
        [&](auto then) { store.set_limits({.queue = "mail", .per = "value.tenant", .running_per_key = 1}, then); });
}
std::string key_of_run(const std::string& path) {
    SqliteConnection connection(path, 0);
    auto query = connection.query("select flow_key from runs where id = 'r1'");
    return query.step() ? query.text(0) : "no run";
}
/// Makes a file with a run of 60 ticks.
void make_long_run(const std::string& path, const char* change) {
    {
        SqliteStore store(path);
        create(store, run_of_tenant("r1", "ann"));
        for (int i = 0; i < 59; ++i) append(store, batch_of(store, "r1", {"a tick"}));
    }
    SqliteConnection(path, 0).execute(change);
}
}

TEST_CASE("new limits of a queue read no tick of a run when the file has the texts of its key") {
    Folder folder;
    make_long_run(folder.file(), "delete from ticks where seq < 59");
    SqliteStore store(folder.file());

    limit_tenants(store);

    CHECK(key_of_run(folder.file()) == "a");
}
TEST_CASE("new limits of a queue read the first tick of a run that an older weft created") {
    Folder folder;
    make_long_run(folder.file(), "update runs set key_texts = null");
    {
        SqliteStore store(folder.file());
        limit_tenants(store);
        CHECK(key_of_run(folder.file()) == "a");
    }
    SqliteConnection(folder.file(), 0).execute("delete from ticks where seq < 59");
    SqliteStore store(folder.file());
    CHECK(refusal([&] { limit_tenants(store); }).sentence.starts_with("run r1: tick 58 "));
}
TEST_CASE("a visitor of a file with older tables adds runs, but none with a debounce key") {
    Folder folder;
    { SqliteStore store(folder.file()); }
    SqliteConnection(folder.file(), 0)
        .execute("drop index runs_debounce; drop index runs_debounce_waiting; alter table runs drop column key_texts; "
                 "alter table runs drop column debounce; alter table runs drop column last_start; "
                 "alter table runs drop column starts; pragma user_version = 6");
    SqliteStore guest(folder.file(), {.access = SqliteAccess::visitor});

    CHECK(create(guest, run_of_tenant("r1", "")).is_new);
    auto run = run_of_tenant("r2", "");
    run.debounce = "customer 7";
    run.not_before = 1;
    CHECK(refusal([&] { create(guest, run); }).sentence ==
          "the store has tables of an older weft, which knows no debounce keys: let a newer weft open it while no "
          "other process uses it");

    SqliteStore engine(folder.file());
    CHECK_FALSE(create(guest, run).id.empty());
    limit_tenants(engine);
    CHECK(key_of_run(folder.file()) == "a");
    CHECK(list(engine).size() == 2);
}
