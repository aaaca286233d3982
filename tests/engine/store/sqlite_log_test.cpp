// Logs of runs in a file: older files without logs, and damaged files.
#include "engine/store/damaged.hpp"
#include "engine/store/sqlite/schema.hpp"
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/stores.hpp"
#include <doctest/doctest.h>

using namespace stores;
namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

namespace {
SqliteOptions visitor() { return {.access = SqliteAccess::visitor}; }
void sql(const std::string& path, const std::string& script) { storage::SqliteConnection(path, 0).execute(script); }
std::int64_t number(const std::string& path, const char* query) {
    return storage::SqliteConnection(path, 0).number(query);
}
Texts numbered(std::uint64_t n) {
    Texts made;
    for (std::uint64_t i = 0; i < n; ++i) made.push_back("entry " + std::to_string(i));
    return made;
}
void end(Store& store, const std::string& id) {
    auto batch = batch_of(store, id, {"end"});
    batch.left = left(RunStatus::done, "{}");
    append(store, batch);
}
/// Makes a file of the first version, with a running and an ended run.
void make_first_version(const std::string& path) {
    {
        SqliteStore store(path);
        for (auto id : {"r1", "r2"}) create(store, run_of(id));
        end(store, "r2");
    }
    sql(path, "drop table logs; drop table log_entries; drop table workers; drop table queues; drop table models; "
              "drop index runs_ready_by_key; drop index runs_running_by_key; drop index runs_ready; drop index "
              "runs_begun_by_key; drop index runs_debounce; drop index runs_debounce_waiting; "
              "alter table runs drop column key_texts; alter table runs drop column debounce; "
              "alter table runs drop column last_start; alter table runs drop column starts; "
              "alter table runs drop column flow_key; pragma user_version = 1; "
              "create index runs_ready on runs (priority desc, created_at) where status = 'ready'");
}
/// Makes two runs with logs of 70 entries each, written in turns.
void fill(const std::string& path) {
    SqliteStore store(path);
    for (auto id : {"r1", "r2"}) create(store, run_of(id));
    const auto texts = numbered(70);
    for (std::uint64_t i = 0; i < texts.size(); ++i)
        for (auto id : {"r1", "r2"}) write_log(store, entries_of(id, i, {texts[i]}));
}
}
TEST_CASE("a log is present when the file is opened again, and the next owner appends to it") {
    Folder folder;
    fill(folder.file());
    SqliteStore store(folder.file());

    CHECK(bodies(read_log(store, "r1")) == numbered(70));
    CHECK(write_log(store, entries_of("r1", 70, {"late"})).is_fenced);
    const auto epoch = claim(store, {.owner = "bob", .ids = {"r1"}}).at(0).epoch;
    CHECK(write_log(store, entries_of("r1", 70, {"next"}, epoch)).next == 71);
    CHECK(bodies(read_log(store, "r1", 69), 69) == Texts{"entry 69", "next"});
}
TEST_CASE("a visitor reads logs while an engine writes them, and writes none itself") {
    Folder folder;
    SqliteStore engine(folder.file());
    create(engine, run_of("r1"));
    SqliteStore guest(folder.file(), visitor());

    for (std::uint64_t i = 0; i < 40; ++i) {
        write_log(engine, entries_of("r1", i, {"entry " + std::to_string(i)}));
        CHECK(read_log(guest, "r1", i).entries.size() == 1);
    }

    CHECK(bodies(read_log(guest, "r1")) == numbered(40));
    CHECK(refusal([&] { write_log(guest, entries_of("r1", 40, {"a"})); }).sentence.find("was opened as a visitor") !=
          std::string::npos);
    end(engine, "r1");
    CHECK(prune(guest) == 1);
    CHECK(refusal([&] { write_log(engine, entries_of("r1", 40, {"a"})); }).code == Code::usage);
}
TEST_CASE("a visitor accepts a file of the first version unchanged: its runs have no logs") {
    Folder folder;
    make_first_version(folder.file());
    SqliteStore guest(folder.file(), visitor());

    CHECK(list(guest).size() == 2);
    CHECK(load(guest, "r1").ticks.size() == 1);
    CHECK(read_log(guest, "r1").entries.empty());
    CHECK(read_log(guest, "r1").next == 0);
    CHECK(send(guest, "r1", "m").is_new);
    CHECK(prune(guest) == 1);
    CHECK(list(guest).size() == 1);
    CHECK(number(folder.file(), "pragma user_version") == 1);
}
TEST_CASE("an engine copies a file of the first version and gives it logs, which an earlier visitor sees") {
    Folder folder;
    make_first_version(folder.file());
    SqliteStore guest(folder.file(), visitor());
    CHECK(read_log(guest, "r1").next == 0);

    SqliteStore engine(folder.file());
    const auto epoch = claim(engine, {.owner = "ann", .ids = {"r1"}}).at(0).epoch;
    write_log(engine, entries_of("r1", 0, numbered(40), epoch));

    CHECK(number(folder.file("weft.db.before-7"), "pragma user_version") == 1);
    CHECK(number(folder.file("weft.db.before-7"), "select count(*) from runs") == 2);
    CHECK(load(engine, "r1").ticks.size() == 1);
    CHECK(bodies(read_log(guest, "r1")) == numbered(40));
    end(engine, "r1");
    CHECK(prune(guest) == 2);
    CHECK(number(folder.file(), "select count(*) from log_entries") == 0);
    CHECK(number(folder.file(), "select count(*) from logs") == 0);
}
TEST_CASE("entries lost with the -wal file are noticed, even if no record is lost") {
    Folder folder, other;
    create(*std::make_unique<SqliteStore>(folder.file()), run_of("r1", ""));
    SqliteStore engine(folder.file());
    write_log(engine, entries_of("r1", 0, {"a"}, 0));
    for (auto ending : {"", "-lock"}) fs::copy_file(folder.file() + ending, other.file() + ending);

    auto refused = refusal([&] { SqliteStore store(other.file()); });

    CHECK(refused.code == Code::journal);
    CHECK(refused.sentence.find("lacks its latest records") != std::string::npos);
}
TEST_CASE("numbers of pruned entries are not used again, and no entry counts as lost") {
    Folder folder;
    {
        SqliteStore store(folder.file());
        create(store, run_of("r1"));
        end(store, "r1");
        write_log(store, entries_of("r1", 0, numbered(40)));
        CHECK(prune(store) == 1);
    }
    SqliteStore store(folder.file());
    create(store, run_of("r2"));
    write_log(store, entries_of("r2", 0, {"a"}));
    CHECK(number(folder.file(), "select min(number) from log_entries") > 42);
}
TEST_CASE("an error in a log names the run and the entry, and damages nothing else") {
    const std::pair<const char*, const char*> damages[]{
        {"delete from log_entries where run = 'r1' and entry = 40", "run r1: entry 40 of its log is missing"},
        {"delete from log_entries where run = 'r1' and entry = 64", "run r1: entry 64 of its log is missing"},
        {"delete from log_entries where run = 'r1' and entry = 69", "run r1: entry 69 of its log is missing"},
        {"update log_entries set body = 'x' where run = 'r1' and entry = 40", "run r1: entry 40 of its log is damaged"},
        {"update log_entries set before = number where run = 'r1' and entry = 41",
         "run r1: entry 40 of its log is missing"},
        {"update log_entries set before = before - 1 where run = 'r1' and entry = 41",
         "run r1: entry 40 of its log is missing"},
        {"update log_entries set run = 'r3' where run = 'r1' and entry = 40", "run r1: entry 40 of its log is missing"},
        {"update log_entries set body = 'entry 41' where run = 'r1' and entry = 40",
         "run r1: entry 40 of its log is damaged"},
        {"update logs set next = 69 where run = 'r1'", "the log of run r1 is damaged"},
        {"update logs set last = last - 2, next = next - 1 where run = 'r1'", "the log of run r1 is damaged"}};
    for (auto& damage : damages) {
        const auto *script = damage.first, *sentence = damage.second;
        CAPTURE(script);
        Folder folder;
        fill(folder.file());
        sql(folder.file(), script);
        SqliteStore store(folder.file(), visitor());

        auto refused = refusal([&] { read_log(store, "r1"); });

        CHECK(refused.code == Code::journal);
        CHECK(refused.sentence.find(sentence) == 0);
        CHECK_THROWS_AS(read_log(store, "r1"), storage::DamagedError);
        const bool is_of_log = refused.sentence.find("the log") == 0;
        if (!is_of_log) CHECK(read_log(store, "r1", 0, 33).entries.size() == 33);
        CHECK(load(store, "r1").ticks.size() == 1);
        CHECK(bodies(read_log(store, "r2")) == numbered(70));
    }
}
TEST_CASE("a damaged log is pruned with its run, and nothing of it is left") {
    for (auto* damage :
         {"delete from log_entries where run = 'r1' and entry = 40", "update logs set next = 5 where run = 'r1'",
          "update logs set last = 7000000000000000000 where run = 'r1'",
          "update runs set options = '{}' where id = 'r1'"}) {
        CAPTURE(damage);
        Folder folder;
        fill(folder.file());
        {
            SqliteStore store(folder.file());
            CHECK(claim(store, {.owner = "ann", .ids = {"r1"}}).size() == 1);
            end(store, "r1");
        }
        sql(folder.file(), damage);
        SqliteStore store(folder.file());

        CHECK(prune(store, {.ids = {"r1"}}) == 1);

        CHECK(number(folder.file(), "select count(*) from log_entries where run = 'r1'") == 0);
        CHECK(number(folder.file(), "select count(*) from logs where run = 'r1'") == 0);
        CHECK(bodies(read_log(store, "r2")) == numbered(70));
    }
}
