// Many parallel claims and much mail, while owners die. Faults are counted when they happen, and at the end. Each
// thread has its own store, like a process. Times are the server's: the test has no clock.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/postgres_server.hpp"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <doctest/doctest.h>
#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

using namespace stores;
using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

namespace {
constexpr std::size_t wanted_claims = 100'000, wanted_mail = 10'000, all_runs = 1000, most_epochs = 4000;
constexpr std::size_t sleepers = 300;  // runs that only wait for mail
constexpr std::size_t senders = 2, mail_of_sender = wanted_mail / senders, mail_in_a_row = 4, mail_at_once = 20;
constexpr std::int64_t lease_ms = 1000;
constexpr auto patience = test::limit;  // the test ends after this time without progress

std::size_t number_in(const std::string& id) {  // "r17"
    std::size_t number = 0;
    std::from_chars(id.data() + 1, id.data() + id.size(), number);
    return number;
}
std::string letter_id(std::size_t number) { return "m" + std::to_string(number); }

using Counts = std::vector<std::atomic<std::uint32_t>>;
/// The observations of all threads.
struct World {
    std::string url;
    Counts owners = Counts(all_runs * most_epochs);  // the claimer; 0: none
    Counts seen = Counts(wanted_mail);               // the times that each was taken
    Counts taken = Counts(all_runs);                 // mail for each run
    std::atomic<std::size_t> claims = 0, double_claims = 0, all_seen = 0, sent = 0, again = 0, wrongly_sent = 0;
    std::atomic<std::size_t> deaths = 0, fenced = 0, unjustly_fenced = 0, late = 0, stayed = 0, heartbeats = 0,
                             errors = 0;
    std::atomic<std::uint32_t> next_owner = 1;
    std::atomic<bool> is_over = false;
    std::mutex mutex;
    std::condition_variable rests;
    std::string error;

    void note_error(std::exception_ptr problem) {
        ++errors;
        std::lock_guard lock(mutex);
        try {
            std::rethrow_exception(problem);
        } catch (const std::exception& e) { error = e.what(); }
    }
    void note_claim(const RunRow& row, std::uint32_t owner) {
        std::uint32_t nobody = 0;
        if (row.epoch >= most_epochs ||
            !owners[number_in(row.id) * most_epochs + row.epoch].compare_exchange_strong(nobody, owner))
            ++double_claims;
        ++claims;
    }
    void note_taken(const Batch& batch) {
        for (auto& id : batch.mail) {
            ++seen[number_in(id)];
            ++all_seen;
        }
        taken[number_in(batch.run)] += std::uint32_t(batch.mail.size());
    }
    bool is_done() const { return claims >= wanted_claims && sent == wanted_mail && all_seen >= wanted_mail; }
    void rest(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex);
        rests.wait_for(lock, time, [&] { return is_over.load(); });
    }
};

/// Claims runs, takes their mail and leaves them. Now and then it dies with all its runs, and starts as a new owner.
class Claimer {
public:
    Claimer(World& world, std::size_t number) : world_(world), store_(world.url), random_(unsigned(number)) {
        most_ = 50 + 15 * number;
    }
    void work() {
        for (std::size_t round = 1; !world_.is_over; ++round) {
            stay_alive();
            ClaimRequest wanted;
            wanted.owner = name();
            wanted.queues = {"q"};
            wanted.most = most_;
            const auto rows = claim(store_, wanted);
            for (auto& row : rows) world_.note_claim(row, owner_);
            world_.claims.notify_all();
            if (rows.empty()) world_.rest(3ms);
            else if (round % 16 == 0) die(rows);
            else leave(rows);
        }
    }

private:
    std::string name() const { return "o" + std::to_string(owner_); }
    void stay_alive() {
        if (owner_ != 0 && SteadyClock::now() < beats_at_) return;
        if (owner_ == 0 || !is_alive()) {
            owner_ = world_.next_owner++;
            is_alive();
        }
    }
    bool is_alive() {
        ++world_.heartbeats;
        beats_at_ = SteadyClock::now() + std::chrono::milliseconds(lease_ms / 4);
        return heartbeat(store_, name(), lease_ms).alive;
    }
    /// Appends a tick with its writer, if there is mail or a tick is required.
    Batch batch_for(const RunRow& row, bool needs_tick) {
        Batch batch;
        batch.run = row.id;
        batch.epoch = row.epoch;
        batch.seq = row.next_seq;
        auto mail = row.mail;
        if (needs_tick || mail > world_.taken[number_in(row.id)]) {
            const auto history = load(store_, row.id);
            mail = history.run.mail;
            for (auto& letter : history.mail) batch.mail.push_back(letter.id);
            if (needs_tick || !batch.mail.empty())
                batch.ticks = ticks(batch.seq, {std::to_string(owner_) + " " + std::to_string(row.epoch)},
                                    history.ticks.back().sum);
        }
        batch.left = left(RunStatus::waiting, "", mail);
        // The oldest are claimed first, so the youngest may wait until the others need no claim.
        if (number_in(row.id) < sleepers || world_.claims >= wanted_claims) return batch;
        const auto how = random_() % 4;
        if (how > 1) batch.left->wake_at = now_us() + std::int64_t(random_() % 20'000);
        else batch.left->status = RunStatus::ready;
        return batch;
    }
    static std::int64_t now_us() {
        return std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
            .count();
    }
    /// Appends all batches in parallel, like an engine. Returns the runs that were not left because of new mail.
    std::vector<Batch> append_all(const std::vector<Batch>& batches, std::size_t& fenced) {
        std::latch answered{std::ptrdiff_t(batches.size())};
        std::vector<std::optional<AppendReply>> answers(batches.size());
        for (std::size_t i = 0; i < batches.size(); ++i)
            store_.append(batches[i], [&, i](std::exception_ptr error, AppendReply answer) {
                if (error) world_.note_error(error);
                else answers[i] = answer;
                answered.count_down();
            });
        answered.wait();
        std::vector<Batch> ours;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            if (answers[i] == AppendReply::fenced) ++fenced;
            if (!answers[i] || answers[i] == AppendReply::fenced) continue;
            world_.note_taken(batches[i]);
            if (answers[i] == AppendReply::stored) continue;
            auto& again = ours.emplace_back();
            again.run = batches[i].run, again.epoch = batches[i].epoch;
            again.seq = batches[i].seq + batches[i].ticks.size();
            again.left = left(RunStatus::ready);
        }
        return ours;
    }
    void leave(const std::vector<RunRow>& rows) {
        std::vector<Batch> batches;
        for (auto& row : rows) batches.push_back(batch_for(row, false));
        std::size_t fenced = 0;
        const auto ours = append_all(batches, fenced);
        world_.stayed += ours.size();
        append_all(ours, fenced);
        if (fenced == 0) return;
        world_.fenced += fenced;
        if (is_alive()) world_.unjustly_fenced += fenced;  // its lease was never lost, so its appends must be stored
    }
    /// Keeps its next batches, and writes the batches of former deaths, half of them when other owners certainly have
    /// the runs.
    void die(const std::vector<RunRow>& rows) {
        const auto died_at = SteadyClock::now();
        ++world_.deaths;
        for (auto& [due, batches] : std::exchange(late_, {})) {
            if (due > died_at) {
                late_.emplace_back(due, std::move(batches));
                continue;
            }
            std::size_t fenced = 0;
            append_all(append_all(batches, fenced), fenced);
            world_.late += batches.size();
            world_.fenced += fenced;
        }
        is_patient_ = !is_patient_;
        auto& [due, batches] = late_.emplace_back(died_at + std::chrono::milliseconds(is_patient_ ? 2 * lease_ms : 0),
                                                  std::vector<Batch>());
        for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 20); ++i)
            batches.push_back(batch_for(rows[i], true));
        owner_ = 0;
    }

    World& world_;
    PostgresStore store_;
    std::minstd_rand random_;
    std::size_t most_;
    std::uint32_t owner_ = 0;
    SteadyClock::time_point beats_at_{};
    std::vector<std::pair<SteadyClock::time_point, std::vector<Batch>>> late_;  // and the time of its write
    bool is_patient_ = false;
};

/// Sends at the rate of claims, so that there is always mail: several messages to a run, and some of them twice.
void send_all(World& world, std::size_t sender) {
    PostgresStore store(world.url);
    std::minstd_rand random(unsigned(sender) + 100);
    for (std::size_t first = 0; first < mail_of_sender && !world.is_over; first += mail_at_once) {
        const auto due = first * (wanted_claims / mail_of_sender);
        for (auto now = world.claims.load(); now < due && !world.is_over; now = world.claims.load())
            world.claims.wait(now);
        std::vector<Mail> letters;
        std::string run;
        for (std::size_t i = first; i < first + mail_at_once; ++i) {
            if (i % mail_in_a_row == 0)
                run = "r" + std::to_string(random() % 5 ? random() % sleepers : random() % all_runs);
            letters.push_back({run, letter_id(sender * mail_of_sender + i), "{}"});
        }
        letters.push_back(letters.front());
        std::latch answered{std::ptrdiff_t(letters.size())};
        for (std::size_t i = 0; i < letters.size(); ++i)
            store.send(letters[i], [&, is_first = i < mail_at_once](std::exception_ptr error, SendReply answer) {
                if (error) world.note_error(error);
                world.wrongly_sent += answer.is_new != is_first;
                ++(is_first ? world.sent : world.again);
                answered.count_down();
            });
        answered.wait();
    }
}
void sweep(World& world, const std::string& name) {
    PostgresStore store(world.url);
    while (!world.is_over) {
        heartbeat(store, name, 60'000);
        ++world.heartbeats;
        world.rest(20ms);
    }
}
template <class Work> std::jthread started(World& world, Work work) {
    return std::jthread([&world, work] {
        try {
            work();
        } catch (...) { world.note_error(std::current_exception()); }
    });
}
void create_all(PostgresStore& store) {
    std::latch created{all_runs};
    for (std::size_t i = 0; i < all_runs; ++i) {
        auto run = run_of("r" + std::to_string(i), "");
        run.queue = "q";
        store.create(run, [&](std::exception_ptr, CreateReply) { created.count_down(); });
    }
    created.wait();
}
/// Counts ticks whose writer had not claimed their epoch, and ticks after one of a later epoch.
std::size_t stale_ticks(World& world, Store& store, std::size_t& ticks) {
    std::size_t stale = 0;
    for (std::size_t i = 0; i < all_runs; ++i) {
        const auto found = bodies(load(store, "r" + std::to_string(i)));
        std::size_t before = 0;
        for (std::size_t n = 1; n < found.size(); ++n, ++ticks) {
            const auto owner = std::stoul(found[n]), epoch = std::stoul(found[n].substr(found[n].find(' ')));
            stale += epoch < before || epoch >= most_epochs || world.owners[i * most_epochs + epoch] != owner;
            before = epoch;
        }
    }
    return stale;
}
}
TEST_CASE("a store gives no claim twice and misses no mail while owners die and others take over") {
    PostgresServer server;
    for (const auto* setting : {"fsync = off", "max_wal_size = '512MB'"})  // the disk's cost is not tested
        server.sql(std::string("alter system set ") + setting);
    server.sql("select pg_reload_conf()");
    World world;
    world.url = server.url();
    PostgresStore store(world.url);
    create_all(store);
    const auto begun = SteadyClock::now();
    const auto asleep = [&] {  // runs that nothing would wake, in one snapshot of the database
        return std::stoul(server.value_of("select count(*) from weft.runs r where status = 'waiting' and exists "
                                          "(select from weft.inbox i where i.run = r.id and taken is null)"));
    };
    std::size_t looks = 0, found_asleep = 0;

    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 2; ++i)
        threads.push_back(started(world, [&, i] { sweep(world, "sweeper " + std::to_string(i)); }));
    for (std::size_t i = 0; i < 4; ++i) threads.push_back(started(world, [&, i] { Claimer(world, i).work(); }));
    for (std::size_t i = 0; i < senders; ++i) threads.push_back(started(world, [&, i] { send_all(world, i); }));
    auto gives_up = SteadyClock::now() + patience;
    for (std::size_t before = 0; !world.is_done() && world.errors == 0 && SteadyClock::now() < gives_up; ++looks) {
        world.rest(500ms);
        found_asleep += asleep();
        const auto now = std::min(world.claims.load(), wanted_claims) + world.sent + world.all_seen;
        if (now > before) gives_up = SteadyClock::now() + patience;  // slow, with progress
        before = now;
    }
    {
        std::lock_guard lock(world.mutex);
        world.is_over = true;
    }
    world.rests.notify_all();
    ++world.claims;  // senders wait for it
    world.claims.notify_all();
    threads.clear();
    --world.claims;
    const auto seconds = std::chrono::duration<double>(SteadyClock::now() - begun).count();

    found_asleep += asleep();
    std::size_t written = 0, seen_once = 0;
    const auto stale = stale_ticks(world, store, written);
    for (auto& count : world.seen) seen_once += count == 1;
    const auto takeovers = std::stoul(server.value_of("select sum(epoch) from weft.runs")) - world.claims;
    const std::pair<const char*, std::size_t> figures[]{{"claims", world.claims},
                                                        {"of runs", all_runs},
                                                        {"by owners", world.next_owner - 1},
                                                        {"claimed twice", world.double_claims},
                                                        {"messages", world.sent},
                                                        {"sent again", world.again},
                                                        {"taken", world.all_seen},
                                                        {"taken once", seen_once},
                                                        {"looks for sleeping runs", looks + 1},
                                                        {"asleep with mail", found_asleep},
                                                        {"kept awake by mail", world.stayed},
                                                        {"deaths", world.deaths},
                                                        {"runs taken over", takeovers},
                                                        {"appends of the dead", world.late},
                                                        {"fenced", world.fenced},
                                                        {"unjustly fenced", world.unjustly_fenced},
                                                        {"ticks", written},
                                                        {"under a stale epoch", stale},
                                                        {"beats", world.heartbeats}};
    std::string summary;
    for (auto& [name, figure] : figures) summary += std::to_string(figure) + " " + name + ", ";
    MESSAGE(summary << std::to_string(seconds) << " s");
    CHECK(world.error == "");
    CHECK(world.claims.load() >= wanted_claims);
    CHECK(world.double_claims.load() == 0);
    CHECK(world.sent.load() == wanted_mail);
    CHECK(world.wrongly_sent.load() == 0);
    CHECK(seen_once == wanted_mail);
    CHECK(world.all_seen.load() == wanted_mail);
    CHECK(found_asleep == 0);
    CHECK(world.unjustly_fenced.load() == 0);
    CHECK(stale == 0);
    CHECK(server.value_of("select count(*) from weft.inbox") == std::to_string(wanted_mail));
    // The test has reached its intended situations.
    CHECK(world.deaths.load() > 10);
    CHECK(world.fenced.load() > 10);
    CHECK(world.stayed.load() > 10);
    CHECK(takeovers > 10);
}
