// The file store's promises beyond the interface: one owner, visitors, and no loss when a process is killed.
#include "engine/store/sqlite/schema.hpp"
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/limit.hpp"
#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <future>
#include <sqlite3.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace stores;
namespace fs = std::filesystem;

namespace {
SqliteOptions visitor() { return {.access = SqliteAccess::visitor}; }
std::string refused_file(const std::string& path, SqliteOptions options = {}) {
    return refusal([&] { SqliteStore store(path, options); }).sentence;
}
/// Calls a function in a child process, which ends without destructors. Returns the child's output to the pipe.
template <class Work> std::string in_child(Work work, std::size_t kill_after = ~std::size_t{0}) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const auto child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        work(ends[1]);
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    char byte = 0;
    while (::read(ends[0], &byte, 1) == 1) {
        said += byte;
        if (said.size() == kill_after) ::kill(child, SIGKILL);
    }
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return said;
}
}
TEST_CASE("a store has its data when the file is opened again") {
    Folder folder;
    {
        SqliteStore store(folder.file());
        create(store, run_of("r1"));
        append(store, batch_of(store, "r1", {"a"}));
        send(store, "r1", "m");
    }
    SqliteStore store(folder.file());

    auto history = load(store, "r1");

    CHECK(bodies(history) == std::vector<std::string>{"start of r1", "a"});
    CHECK(history.mail.size() == 1);
}
TEST_CASE("runs of a vanished engine are ready when the next one opens the file, and the old epoch is fenced") {
    Folder folder;
    Batch late;
    {
        SqliteStore store(folder.file());
        create(store, run_of("r1"));
        late = batch_of(store, "r1", {"late"});
    }
    SqliteStore store(folder.file());

    auto found = row(store, "r1");

    CHECK(found.status == RunStatus::ready);
    CHECK(found.epoch == 2);
    CHECK(found.takeovers == 1);
    CHECK(append(store, late) == AppendReply::fenced);
}
TEST_CASE("a second engine is refused, and learns which process has the file") {
    Folder folder;
    auto first = std::make_unique<SqliteStore>(folder.file());

    auto refused = refusal([&] { SqliteStore second(folder.file()); });

    CHECK(refused.code == Code::usage);
    CHECK(refused.sentence == "the store '" + folder.file() + "' is in use by process " + std::to_string(::getpid()) +
                                  ", which is this one: wait until it ends, or use another file");
    fs::create_symlink(folder.file(), folder.file("alias.db"));
    CHECK(refused_file(folder.file("alias.db")).find("is in use by process") != std::string::npos);
    first.reset();
    SqliteStore second(folder.file());
}
TEST_CASE("a visitor reads, sends and prunes while an engine appends, and every other call is refused") {
    Folder folder;
    SqliteStore engine(folder.file());
    create(engine, run_of("r1"));
    create(engine, run_of("r2"));
    SqliteStore guest(folder.file(), visitor());

    for (int i = 0; i < 20; ++i) {
        append(engine, batch_of(engine, "r1", {"tick"}));
        CHECK(load(guest, "r1").ticks.size() == std::size_t(i) + 2);
        CHECK(send(guest, "r1", "m" + std::to_string(i)).is_new);
        CHECK(heartbeat(engine, "ann").inboxes.at(0).mail == std::uint64_t(i) + 1);
    }
    auto end = batch_of(engine, "r2", {"end"});
    end.left = left(RunStatus::done, "{}");
    append(engine, end);

    CHECK(prune(guest) == 1);
    CHECK(refusal([&] { load(engine, "r2"); }).code == Code::usage);
    CHECK(plan(guest, "h1").workflow == "refund");
    CHECK(refusal([&] { create(guest, run_of("r3")); }).code == Code::usage);
    CHECK(refusal([&] { append(guest, {}); }).code == Code::usage);
    CHECK(refusal([&] { claim(guest, {}); }).code == Code::usage);
    CHECK(refusal([&] { heartbeat(guest, "bob"); }).sentence.find("was opened as a visitor") != std::string::npos);
}
TEST_CASE("records after pruned ones do not count as lost") {
    Folder folder;
    {
        SqliteStore store(folder.file());
        for (auto id : {"a", "b"}) {
            create(store, run_of(id));
            auto end = batch_of(store, id, {"end"});
            end.left = left(RunStatus::done, "{}");
            append(store, end);
        }
        CHECK(prune(store) == 2);
    }
    {
        SqliteStore store(folder.file());
        create(store, run_of("c"));
    }
    SqliteStore store(folder.file());
    CHECK(list(store).size() == 1);
}
TEST_CASE("all files of a store are readable by their owner alone") {
    Folder folder;
    SqliteStore store(folder.file());
    create(store, run_of("r1"));

    for (auto name : {"weft.db", "weft.db-wal", "weft.db-shm", "weft.db-lock"}) {
        struct stat found {};
        REQUIRE(::stat(folder.file(name).c_str(), &found) == 0);
        CHECK((found.st_mode & 0777) == 0600);
    }
}
TEST_CASE("a killed process loses nothing acknowledged") {
    for (std::size_t after = 1; after <= 40; after += 3) {
        CAPTURE(after);
        Folder folder;
        auto said = in_child(
            [&](int out) {
                SqliteStore store(folder.file());
                create(store, run_of("r1"));
                auto last = load(store, "r1").ticks[0];
                for (;;) {
                    Batch batch{.run = "r1",
                                .epoch = 1,
                                .seq = last.seq + 1,
                                .ticks = {},
                                .mail = {},
                                .snapshot = {},
                                .plan = {},
                                .waits_for = {},
                                .left = {}};
                    batch.ticks = ticks(batch.seq, {"tick"}, last.sum);
                    last = batch.ticks[0];
                    store.write_log(entries_of("r1", last.seq - 1, {"entry"}), [](std::exception_ptr, LogReply) {});
                    if (append(store, batch) != AppendReply::stored || ::write(out, "+", 1) != 1) return;
                }
            },
            after);

        SqliteStore store(folder.file());
        CHECK(said.size() >= after);
        CHECK(load(store, "r1").ticks.size() >= said.size() + 1);
        CHECK(load(store, "r1").ticks.size() <= said.size() + 2);
        CHECK(bodies(read_log(store, "r1")).size() + 1 >= load(store, "r1").ticks.size());  // each before its tick
    }
}
TEST_CASE("an older file is copied and migrated; a newer one is refused, with both versions") {
    Folder folder;
    { SqliteStore store(folder.file()); }
    auto texts = storage::sqlite_migrations();
    const auto now = int(texts.size()), newer = now + 1;
    texts.push_back("alter table meta add column added integer not null default 7");
    {
        storage::SqliteConnection connection(folder.file(), 0);
        storage::migrate(connection, folder.file(), texts);
        CHECK(connection.number("select added from meta") == 7);
        CHECK(connection.number("pragma user_version") == newer);
    }
    storage::SqliteConnection copy(folder.file("weft.db.before-" + std::to_string(newer)), 0);
    CHECK(copy.number("pragma user_version") == now);

    auto refused = refusal([&] { SqliteStore store(folder.file()); });

    CHECK(refused.code == Code::configuration);
    CHECK(refused.sentence == "cannot use the store '" + folder.file() + "': its tables are of version " +
                                  std::to_string(newer) + ", and this weft knows them up to " + std::to_string(now) +
                                  ": use a newer weft");
}
TEST_CASE("a file takes a status that its first tables do not list, after the migration for it") {
    Folder folder;
    std::ofstream(folder.file()).close();
    storage::SqliteConnection connection(folder.file(), 0);
    auto older = storage::sqlite_migrations();
    older.resize(3);
    storage::migrate(connection, folder.file(), older);
    connection.execute("insert into runs values (1, 'r1', 'w', 'h', 'q', 0, 'running', 'ann', 1, 0, 0, null, 0, null, "
                       "null, '', null, null, 0, 0, null, 0)");
    const std::string expired = "update runs set status = 'expired', owner = null",
                      running = "update runs set status = 'running'";
    CHECK_THROWS_AS(connection.execute(expired), storage::SqliteError);

    storage::migrate(connection, folder.file(), storage::sqlite_migrations());

    connection.execute(expired);
    CHECK_THROWS_AS(connection.execute(running), storage::SqliteError);  // a running run has an owner
    CHECK(connection.integrity(1000) == "ok");
}
TEST_CASE("a failing migration leaves the file as it was") {
    Folder folder;
    { SqliteStore store(folder.file()); }
    auto texts = storage::sqlite_migrations();
    texts.push_back("create table more (a); this is not SQL");
    {
        storage::SqliteConnection connection(folder.file(), 0);
        CHECK_THROWS_AS(storage::migrate(connection, folder.file(), texts), storage::SqliteError);
    }
    SqliteStore store(folder.file());
    CHECK(create(store, run_of("r1")).is_new);
}
TEST_CASE("a file with an impossible version counts as damaged") {
    for (int version : {-1, 0}) {
        Folder folder;
        create(*std::make_unique<SqliteStore>(folder.file()), run_of("r1"));
        storage::SqliteConnection(folder.file(), 0).execute("pragma user_version = " + std::to_string(version));
        CHECK(refused_file(folder.file()).find("': it is damaged: its tables are said to be of version") !=
              std::string::npos);
    }
}
TEST_CASE("an engine without work writes nothing to its store") {
    Folder folder;
    SqliteStore store(folder.file());
    create(store, run_of("r1"));
    storage::SqliteConnection other(folder.file(), 0);
    const auto before = other.number("pragma data_version");
    const auto lock_file = fs::last_write_time(folder.file() + "-lock");

    for (int i = 0; i < 3; ++i) {
        heartbeat(store, "ann");
        CHECK(claim(store, {.owner = "ann"}).empty());
        CHECK(prune(store) == 0);
    }

    CHECK(other.number("pragma data_version") == before);
    CHECK(fs::last_write_time(folder.file() + "-lock") == lock_file);
    create(store, run_of("r2", ""));
    CHECK(claim(store, {.owner = "ann"}).size() == 1);
    CHECK(other.number("pragma data_version") != before);
}
TEST_CASE("a call waits while another process locks the file, and is refused when this exceeds busy_ms") {
    Folder folder;
    SqliteStore patient(folder.file(), {.busy_ms = int(std::chrono::milliseconds(test::limit).count())});
    SqliteStore hasty(folder.file(), {.access = SqliteAccess::visitor, .busy_ms = 20});
    create(patient, run_of("r1"));
    storage::SqliteConnection other(folder.file(), 0);
    const auto answer = std::make_shared<std::promise<storage::SendReply>>();  // the store may release it last
    auto answered = answer->get_future();

    other.execute("begin immediate");
    patient.send({"r1", "m1", "{}"}, [answer](std::exception_ptr error, const storage::SendReply& reply) {
        error ? answer->set_exception(error) : answer->set_value(reply);
    });
    const auto refused = refusal([&] { send(hasty, "r1", "m2"); });
    CHECK(answered.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
    other.execute("commit");

    CHECK(refused.code == Code::journal);
    CHECK(refused.sentence == "the store '" + folder.file() + "' was locked by another process for too long");
    REQUIRE(answered.wait_for(test::limit) == std::future_status::ready);
    CHECK(answered.get().is_new);
    CHECK(send(hasty, "r1", "m2").is_new);  // the refused call has stored nothing
}
TEST_CASE("an unusable store is refused in one sentence") {
    Folder folder;
    std::ofstream(folder.file("notes.txt")) << std::string(5000, 'n');
    std::ofstream(folder.file("empty.db")).close();
    sqlite3* other = nullptr;
    sqlite3_open(folder.file("other.db").c_str(), &other);
    sqlite3_exec(other, "create table mine (a)", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    auto says = [](const std::string& sentence, const char* part) { return sentence.find(part) != sentence.npos; };

    CHECK(says(refused_file(folder.file("notes.txt")), "': it is not a SQLite database"));
    CHECK(says(refused_file(folder.file("other.db")), "': it is a SQLite database of another program"));
    CHECK(says(refused_file(folder.path), "': it is not a file"));
    CHECK(says(refused_file(folder.file("no/weft.db")), "': there is no folder '"));
    CHECK(says(refused_file("/proc/weft.db"), "': its lock file cannot be opened"));
    CHECK(says(refused_file(folder.file("none.db"), visitor()), "': there is no such file"));
    CHECK(says(refused_file(folder.file("empty.db"), visitor()), "': it is empty"));
    CHECK(says(refused_file(""), "': this is not the path of a file"));
    const SqliteStore made(folder.file("empty.db"));
    CHECK_FALSE(fs::exists(folder.file("other.db-wal")));
}
TEST_CASE("a refused store leaves nothing behind, and an earlier lock stays") {
    Folder folder;
    std::ofstream(folder.file("notes.txt")) << "short";
    std::ofstream(folder.file("long.txt")) << std::string(5000, 'n');
    sqlite3* other = nullptr;
    sqlite3_open(folder.file("other.db").c_str(), &other);
    sqlite3_exec(other, "pragma journal_mode = wal; create table mine (a)", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    const auto files = [&] { return std::distance(fs::directory_iterator(folder.path), {}); };

    for (const auto* name : {"notes.txt", "long.txt", "other.db"}) CHECK_FALSE(refused_file(folder.file(name)).empty());
    CHECK(files() == 3);
    std::ofstream(folder.file("long.txt-lock")) << "of somebody";
    refused_file(folder.file("long.txt"));
    CHECK(files() == 4);
    { const SqliteStore made(folder.file("new.db")); }
    CHECK(fs::exists(folder.file("new.db-lock")));
}
namespace {
/// During its lifetime, this thread may read and not write the files of a folder, also as root.
struct OnlyReading {
    explicit OnlyReading(const std::string& path) : folder(path) {
        for (const auto& entry : fs::directory_iterator(folder)) fs::permissions(entry, fs::perms(0444));
        fs::permissions(folder, fs::perms(0555));
        if (geteuid() == 0) setfsuid(65534);
    }
    OnlyReading(const OnlyReading&) = delete;
    ~OnlyReading() {
        setfsuid(geteuid());
        fs::permissions(folder, fs::perms(0755));
    }
    std::string folder;
};
}
TEST_CASE("a cleanly closed store is read on a read-only disk, and any other is refused with the reason") {
    Folder folder;
    {
        SqliteStore store(folder.file());
        create(store, run_of("r1"));
        append(store, batch_of(store, "r1", {"a"}));
    }
    const SqliteStore busy(folder.file("busy.db"));
    fs::copy(folder.file("busy.db"), folder.file("left.db"));
    fs::copy(folder.file("busy.db-wal"), folder.file("left.db-wal"));
    const OnlyReading only(folder.path);

    SqliteStore store(folder.file(), visitor());

    CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1", "a"});
    CHECK(refusal([&] { send(store, "r1", "m"); }).sentence.find("may only be read here") != std::string::npos);
    CHECK(refused_file(folder.file("left.db"), visitor()).find("its -wal file has changes") != std::string::npos);
}
TEST_CASE("a call is refused when the disk has no room for it, and the store keeps working") {
    Folder folder;
    auto said = in_child([&](int out) {
        std::string notes;  // written by the store's thread before its answer
        SqliteStore store(folder.file(), {.note = [&](const StoreNote& note) { notes += note.fails ? '!' : '.'; }});
        create(store, run_of("r1"));
        create(store, run_of("r2"));
        ::signal(SIGXFSZ, SIG_IGN);
        struct rlimit most {
            400'000, 400'000
        };
        ::setrlimit(RLIMIT_FSIZE, &most);
        auto refused = refusal([&] { append(store, batch_of(store, "r1", {std::string(1'000'000, 'x')})); });
        (void)refusal([&] { append(store, batch_of(store, "r1", {std::string(1'000'000, 'x')})); });
        const bool goes_on = append(store, batch_of(store, "r2", {"small"})) == AppendReply::stored;
        if (refused.code == Code::journal && goes_on) (void)!::write(out, notes.data(), notes.size());
    });

    CHECK(said == "!.");
    SqliteStore store(folder.file());
    CHECK(load(store, "r1").ticks.size() == 1);
    CHECK(load(store, "r2").ticks.size() == 2);
}
