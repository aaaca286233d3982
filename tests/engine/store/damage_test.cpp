// A damaged file: the store reports the damage in one sentence, and never gives another answer.
#include "engine/store/damaged.hpp"
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/stores.hpp"
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <sqlite3.h>
#include <sstream>

using namespace stores;
namespace fs = std::filesystem;

namespace {
std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}
void sql(const std::string& path, const std::string& script) {
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    char* error = nullptr;
    CHECK(sqlite3_exec(db, script.c_str(), nullptr, nullptr, &error) == SQLITE_OK);
    CAPTURE(error);
    sqlite3_close(db);
}
/// Makes two runs, one of them ended, with all data in the database file.
void fill(const std::string& path) {
    SqliteStore store(path);
    for (std::string id : {"r1", "r2"}) {
        create(store, run_of(id));
        append(store, batch_of(store, id, {id + " a", id + " b", std::string(2000, 'c'), id + " d"}));
        send(store, id, "m1", "{\"cancel\":true}");
        for (std::uint64_t i = 0; i < 70; i += 2)
            write_log(store, entries_of(id, i, {id + " entry " + std::to_string(i), std::string(100, 'e')}));
    }
    auto end = batch_of(store, "r2", {"end"});
    end.left = left(RunStatus::done, "{\"event\":\"GreetingEvent\"}");
    append(store, end);
}
/// Returns all answers of the store as text, and the sentence of each refusal.
std::string told(const std::string& path, std::vector<std::string>* refusals = nullptr) {
    std::string all;
    auto tell = [&](auto call) {
        try {
            call();
        } catch (const Error& e) {
            CHECK(std::string(e.what()).find('\n') == std::string::npos);
            all += std::string("! ") + e.what() + "\n";
            if (refusals) refusals->emplace_back(e.what());
        }
    };
    tell([&] {
        SqliteStore store(path, {.access = SqliteAccess::visitor});
        for (std::string id : {"r1", "r2"})
            tell([&] {
                auto h = load(store, id);
                all += h.run.id + " " + std::string(name(h.run.status)) + " " + h.run.options + " " + h.run.outcome;
                for (auto& tick : h.ticks) all += " | " + tick.body;
                for (auto& mail : h.mail) all += " | " + mail.id + " " + mail.body;
                all += "\n";
            });
        for (std::string id : {"r1", "r2"})
            tell([&] {
                for (auto& entry : read_log(store, id).entries) all += entry.body + " | ";
                all += "\n";
            });
        tell([&] { all += plan(store, "h1").workflow + "\n"; });
    });
    return all;
}
}
TEST_CASE("a changed bit anywhere in the file is an error or changes no answer") {
    Folder folder;
    fill(folder.file());
    const auto bytes = read_file(folder.file());
    const auto right = told(folder.file());
    REQUIRE(right.find('!') == std::string::npos);
    int found = 0;

    for (std::size_t at = 101; at < bytes.size(); at += 997) {
        CAPTURE(at);
        auto damaged = bytes;
        damaged[at] = char(damaged[at] ^ 1 << at % 8);
        for (auto ending : {"-wal", "-shm"}) fs::remove(folder.file() + ending);
        write_file(folder.file(), damaged);
        std::vector<std::string> refusals;
        std::istringstream lines(told(folder.file(), &refusals));
        for (std::string line; std::getline(lines, line);)
            CHECK((line[0] == '!' || right.find(line + "\n") != std::string::npos));
        found += !refusals.empty();
    }

    CHECK(found > 0);
}
TEST_CASE("an error in a record names the run and the record") {
    const std::pair<const char*, const char*> damages[]{
        {"delete from ticks where run = 'r1' and seq = 2", "run r1: tick 2 is missing in the store"},
        {"delete from ticks where run = 'r1' and seq = 4", "run r1: tick 4 is missing in the store"},
        {"update ticks set body = 'r1 B' where run = 'r1' and seq = 2", "run r1: tick 2 is damaged"},
        {"update ticks set seq = 9 where run = 'r1' and seq = 1; update ticks set seq = 1 where run = 'r1' and seq = 2;"
         "update ticks set seq = 2 where run = 'r1' and seq = 9",
         "run r1: tick 2 is missing in the store"},
        {"update ticks set run = 'r2' where run = 'r1' and seq = 2", "run r1: tick 2 is missing in the store"},
        {"update ticks set before = number where run = 'r1' and seq = 3", "run r1: tick 2 is missing in the store"},
        {"update runs set options = '{}' where id = 'r1'", "the row of run r1 is damaged"},
        {"update runs set epoch = 7 where id = 'r1'", "the row of run r1 is damaged"},
        {"update inbox set body = '{}' where run = 'r1'", "mail m1 of run r1 is damaged"}};
    for (auto& damage : damages) {  // no structured binding: clang 14 cannot capture one in the lambda of CAPTURE
        const auto *script = damage.first, *sentence = damage.second;
        CAPTURE(script);
        Folder folder;
        fill(folder.file());
        sql(folder.file(), script);

        SqliteStore store(folder.file(), {.access = SqliteAccess::visitor});
        auto refused = refusal([&] { load(store, "r1"); });

        CHECK(refused.code == Code::journal);
        CHECK(refused.sentence.find(sentence) == 0);
    }
}
TEST_CASE("a damaged row blocks no other run, and fails a call that names it") {
    Folder folder;
    fill(folder.file());
    sql(folder.file(), "update runs set options = '{}' where id = 'r1'");
    SqliteStore store(folder.file());  // r1 was running, and stays unchanged
    create(store, run_of("r3", ""));
    heartbeat(store, "bob");

    auto rows = list(store);
    REQUIRE(rows.size() == 3);
    CHECK(rows[2].id == "r1");
    CHECK(storage::is_damaged(rows[2]));
    CHECK(rows[2].options.empty());
    CHECK_FALSE(storage::is_damaged(rows[1]));
    CHECK(row(store, "r2").status == RunStatus::done);
    CHECK(list(store, {.workflows = {"refund"}}).size() == 2);
    CHECK(list(store, {.statuses = {RunStatus::ready, RunStatus::running}}).size() == 1);
    CHECK(list(store, {.updated_before = storage::wall_microseconds() + 1}).size() == 2);
    rows = claim(store, {.owner = "bob"});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].id == "r3");
    for (auto& call : std::initializer_list<std::function<void()>>{
             [&] { list(store, {.ids = {"r1"}}); }, [&] { load(store, "r1"); }, [&] { send(store, "r1", "m2"); },
             [&] { claim(store, {.owner = "bob", .ids = {"r1"}}); }})
        try {
            call();
            FAIL("nothing was refused");
        } catch (const storage::DamagedError& e) { CHECK(e.run() == "r1"); }
}
TEST_CASE("a call that finds damage after its first change stores nothing, and other calls are stored") {
    Folder folder;
    fill(folder.file());
    sql(folder.file(), "update runs set options = '{}', queue = 'mail', key_texts = null where id = 'r1'");
    SqliteStore store(folder.file());

    auto first = run_of("r3", ""), last = run_of("r4", "");
    for (auto* run : {&first, &last}) run->ticks.resize(1);
    auto damaged = first;
    damaged.id = "r1";
    CHECK(refusal([&] {
              answer_of<std::vector<CreateReply>>([&](auto then) { store.create_all({first, damaged, last}, then); });
          }).code == Code::journal);
    CHECK(list(store).size() == 2);

    const auto set = [&](QueueLimits limits) {
        answer_of<bool>([&](auto then) { store.set_limits(std::move(limits), then); });
    };
    CHECK(refusal([&] { set({.queue = "mail", .running = 1, .per = "value.tenant"}); }).code == Code::journal);
    CHECK(survey(store).flows.empty());
    set({.queue = "post", .running = 1});
    create(store, first);
    CHECK(survey(store).flows.size() == 1);
    CHECK(list(store).size() == 3);
}
TEST_CASE("a damaged run is pruned only by its id, and nothing of it is left, whatever its status is") {
    for (auto* damage : {"update runs set options = '{}' where id = 'r1'",
                         "update runs set last_tick = 7000000000000000000 where id = 'r1'",
                         "delete from ticks where run = 'r1' and seq = 2; "
                         "update runs set epoch = 9 where id = 'r1'"}) {
        CAPTURE(damage);
        Folder folder;
        fill(folder.file());
        sql(folder.file(), damage);
        SqliteStore store(folder.file());
        CHECK(prune(store) == 1);  // the ended run r2
        CHECK(prune(store, {.ids = {"r1"}}) == 1);
        CHECK(list(store).empty());
        create(store, run_of("r1"));
        append(store, batch_of(store, "r1", {"x"}));
        CHECK(bodies(load(store, "r1")).size() == 2);
        sql(folder.file(), "create table no_tick_is_left (n check (n = 2));"
                           "insert into no_tick_is_left select count(*) from ticks");
    }
}
TEST_CASE("an ended run with truncated records loses all its records to pruning") {
    Folder folder;
    fill(folder.file());
    sql(folder.file(), "delete from ticks where run = 'r2' and seq = 2");
    SqliteStore store(folder.file());
    CHECK(prune(store, {.ids = {"r2"}}) == 1);
    sql(folder.file(), "create table no_tick_is_left (n check (n = 0));"
                       "insert into no_tick_is_left select count(*) from ticks where run = 'r2'");
}
TEST_CASE("a truncated file is refused") {
    Folder folder;
    fill(folder.file());
    const auto bytes = read_file(folder.file());
    for (auto size : {std::size_t(50), std::size_t(4096), bytes.size() / 2, bytes.size() - 4096}) {
        CAPTURE(size);
        for (auto ending : {"-wal", "-shm"}) fs::remove(folder.file() + ending);
        write_file(folder.file(), bytes.substr(0, size));
        auto refused = refusal([&] { SqliteStore store(folder.file()); });
        CHECK(refused.code != Code::usage);
        CHECK(refused.sentence.find('\n') == std::string::npos);
    }
}
TEST_CASE("a removed or truncated -wal file is refused until the lock file is removed") {
    Folder folder;
    SqliteStore engine(folder.file());
    create(engine, run_of("r1"));
    append(engine, batch_of(engine, "r1", {"a", "b", "c"}));
    for (auto without : {false, true}) {  // the files after the process
        Folder other;
        for (auto ending : {"", "-wal", "-lock"}) fs::copy_file(folder.file() + ending, other.file() + ending);
        auto wal = read_file(other.file("weft.db-wal"));
        if (without) fs::remove(other.file("weft.db-wal"));
        else write_file(other.file("weft.db-wal"), wal.substr(0, wal.size() - 5000));

        auto refused = refusal([&] { SqliteStore store(other.file()); });

        CHECK(refused.code == Code::journal);
        CHECK(refused.sentence.find("lacks its latest records: its -wal file was removed or cut") != std::string::npos);
        fs::remove(other.file("weft.db-lock"));
        SqliteStore store(other.file());
        CHECK(create(store, run_of("r9")).is_new);
    }
}
TEST_CASE("a -wal file without its file is refused") {
    Folder folder;
    SqliteStore engine(folder.file());
    create(engine, run_of("r1"));
    Folder other;
    fs::copy_file(folder.file("weft.db-wal"), other.file("weft.db-wal"));

    CHECK(refusal([&] { SqliteStore store(other.file()); }).sentence.find("the file is gone") != std::string::npos);
}
