// After any fault of the disk, a reopened store has all acknowledged data, and other data wholly or not at all.
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/disk.hpp"
#include "tests/engine/store/stores.hpp"
#include <doctest/doctest.h>
#include <sqlite3.h>

using namespace stores;

namespace {
constexpr int runs = 2, rounds = 2;
std::string id_of(int run) { return "run" + std::to_string(run); }

/// Appends to some runs and their logs in turns, and sends mail. Counts acknowledged calls, and repeats failed calls
/// `tries` times, like an engine.
struct Work {
    using Counts = std::vector<std::size_t>;
    Counts ticks = Counts(runs), mail = Counts(runs), log = Counts(runs);

    template <class Call> static bool tried(Call call, int tries) {
        while (tries-- > 0) try {
                call();
                return true;
            } catch (const Error& e) { CHECK(e.code() == Code::journal); }
        return false;
    }
    template <class Hook> void go(Store& store, int tries, Hook hook) {
        for (int round = 0; round < rounds; ++round)
            for (int i = 0; i < runs; ++i) {
                const auto run = std::size_t(i);
                const auto id = id_of(i);
                if (round == 0) {
                    if (tried([&] { create(store, run_of(id)); }, tries)) ticks[run] = 1;
                } else if (ticks[run] == std::size_t(round)) {
                    Batch batch;
                    batch.run = id, batch.epoch = 1, batch.seq = ticks[run];
                    batch.ticks = weft_ticks(id, round);
                    auto answer = AppendReply::fenced;
                    bool logged = false;  // sent with the tick: both are in one transaction
                    store.write_log(next_entry(i), [&](std::exception_ptr error, LogReply) { logged = !error; });
                    if (tried([&] { answer = append(store, batch); }, tries)) ++ticks[run];
                    CHECK((answer == AppendReply::stored || tries == 1));
                    if (logged || tried([&] { write_log(store, next_entry(i)); }, tries - 1)) ++log[run];
                }
                hook();
                if (ticks[run] && mail[run] == std::size_t(round) &&
                    tried([&] { send(store, id, "m" + std::to_string(round)); }, tries))
                    ++mail[run];
                hook();
                if (ticks[run] && tried([&] { write_log(store, next_entry(i)); }, tries)) ++log[run];
                hook();
            }
    }
    static std::string entry(int run, std::size_t number) {
        return id_of(run) + " entry " + std::to_string(number) + std::string(3000, 'y');
    }
    LogEntries next_entry(int run) const {
        const auto number = log[std::size_t(run)];
        return entries_of(id_of(run), number, {entry(run, number)});
    }
    static std::vector<StoredTick> weft_ticks(const std::string& id, int round) {
        std::vector<std::string> all{"start of " + id};
        for (int i = 1; i <= round; ++i) all.push_back(id + " tick " + std::to_string(i) + std::string(3000, 'x'));
        return {stores::ticks(0, all).back()};
    }
    void check(Store& store) const {
        for (int i = 0; i < runs; ++i) {
            const auto run = std::size_t(i);
            if (!ticks[run] && list(store, {.ids = {id_of(i)}}).empty()) continue;
            auto history = load(store, id_of(i));
            CHECK(history.ticks.size() >= ticks[run]);
            CHECK(history.ticks.size() <= ticks[run] + 1);
            CHECK(history.mail.size() >= mail[run]);
            CHECK(history.mail.size() <= mail[run] + 1);
            const auto part = read_log(store, id_of(i));
            CHECK(part.next >= log[run]);
            CHECK(part.next <= log[run] + 1);
            REQUIRE(part.entries.size() == part.next);
            for (auto& each : part.entries) CHECK(each.body == entry(i, each.number));
        }
    }
};
/// Fails the n-th write or sync, for growing n until none fails; the caller gives up immediately, or tries again.
void fail_each(int code) {
    Disk disk;
    for (int n = 0;; ++n) {
        CAPTURE(n);
        Folder folder;
        Work work;
        const int tries = n % 2 ? 3 : 1;
        {
            SqliteStore store(folder.file(), {.busy_ms = 0});
            disk.fail(n, code);
            work.go(store, tries, [] {});
        }
        const bool has_failed = disk.has_failed();
        disk.heal();
        SqliteStore store(folder.file());
        work.check(store);
        if (tries == 3 || !has_failed) CHECK(work.ticks == std::vector<std::size_t>(runs, rounds));
        if (tries == 3 || !has_failed) CHECK(work.log == std::vector<std::size_t>(runs, 2 * rounds - 1));
        if (!has_failed) break;
    }
}
}
TEST_CASE("a store has all acknowledged data after a power failure at any moment") {
    Disk disk;
    Folder folder;
    std::uint32_t seed = 1;
    SqliteStore store(folder.file());
    Work work;

    work.go(store, 1, [&] {
        for (int again = 0; again < 3; ++again) {
            Folder other;
            disk.cut(folder.path, other.path, seed++);
            SqliteStore left(other.file());
            work.check(left);
        }
    });

    CHECK(work.ticks == std::vector<std::size_t>(runs, rounds));
    CHECK(work.log == std::vector<std::size_t>(runs, 2 * rounds - 1));
}
TEST_CASE("a store loses and doubles no acknowledged data, whichever write fails") { fail_each(SQLITE_IOERR_WRITE); }
TEST_CASE("a store loses and doubles no acknowledged data, whichever sync fails") { fail_each(SQLITE_IOERR_FSYNC); }
TEST_CASE("a store loses and doubles no acknowledged data when the disk is full") { fail_each(SQLITE_FULL); }
TEST_CASE("a store loses and doubles no acknowledged data when the disk is busy") { fail_each(SQLITE_BUSY); }
TEST_CASE("a store reports a disk that fails while the store is made, and can be made later") {
    Disk disk;
    for (int n = 0;; ++n) {
        CAPTURE(n);
        Folder folder;
        bool was_made = true;
        disk.fail(n, SQLITE_IOERR_WRITE);
        try {
            SqliteStore store(folder.file());
        } catch (const Error& e) {
            was_made = false;
            CHECK(std::string(e.what()).find("cannot use the store") == 0);
        }
        const bool has_failed = disk.has_failed();
        disk.heal();
        SqliteStore store(folder.file());
        CHECK(create(store, run_of("r1")).is_new);
        if (!has_failed) {
            CHECK(was_made);
            break;
        }
    }
}
