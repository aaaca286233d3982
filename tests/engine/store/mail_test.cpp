// The promises of engine/store.hpp about mail, claims, leases, lists and pruning, for every store.
#include "tests/engine/store/conformance.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <future>
#include <limits>
#include <thread>

using namespace stores;

namespace {
std::vector<std::string> ids(const std::vector<RunRow>& rows) {
    std::vector<std::string> found;
    for (auto& row : rows) found.push_back(row.id);
    return found;
}
AppendReply leave(Store& store, const std::string& run, RunRelease how) {
    auto batch = batch_of(store, run, {});
    batch.left = std::move(how);
    return append(store, batch);
}
}
TEST_CASE("mail counts once by its id, and stays until a record has taken it") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));

        CHECK(send(store, "r1", "m1", "first").is_new);
        CHECK_FALSE(send(store, "r1", "m1", "again").is_new);
        CHECK(send(store, "r1", "m2", "second").is_new);

        auto history = load(store, "r1");
        CHECK(history.run.mail == 2);
        REQUIRE(history.mail.size() == 2);
        CHECK(history.mail[0].body == "first");
        auto batch = batch_of(store, "r1", {"took m1"});
        batch.mail = {"m1"};
        append(store, batch);
        CHECK(load(store, "r1").mail.at(0).id == "m2");
        CHECK(row(store, "r1").mail == 2);
        CHECK_FALSE(send(store, "r1", "m1").is_new);
    });
}
TEST_CASE("a message is refused when its id is longer than an index of a database takes") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        for (const char byte : {'x', '\0', '\x7f', '\xff', '\\'}) {
            const std::string longest(500, byte);
            CHECK(send(store, "r1", longest).is_new);
            CHECK(send(store, "r1", longest).is_known);

            const auto refused = refusal([&] { send(store, "r1", longest + byte); });

            CHECK(refused.code == Code::usage);
            CHECK(refused.sentence == "the id of a message has at most 500 bytes, and this one has 501");
        }
        CHECK(load(store, "r1").mail.size() == 5);
    });
}
TEST_CASE("a store knows the id of its mail when a tick has taken it and when the run has ended") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r"));
        const auto asks = [&](const std::string& id) {
            return answer_of<SendReply>([&](auto then) { store.send({"r", id, "{}", false, true}, then); });
        };
        CHECK_FALSE(asks("m").is_known);
        CHECK(send(store, "r", "m").is_new);
        auto batch = batch_of(store, "r", {"a tick"});
        batch.mail = {"m"};
        batch.left = left(RunStatus::done, "{}");
        append(store, batch);

        CHECK(send(store, "r", "m").is_known);
        CHECK(asks("m").is_known);
        const auto other = send(store, "r", "n");
        CHECK_FALSE((other.is_known || other.is_new));
    });
}
TEST_CASE("a store loads the mail that no record has taken, in its order, when it is asked for the mail only") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        CHECK(load_mail(store, "r1").empty());
        for (const auto* id : {"m2", "m1", "m3"}) send(store, "r1", id, std::string("body of ") + id);
        auto batch = batch_of(store, "r1", {"took m2"});
        batch.mail = {"m2"};
        append(store, batch);

        const auto mail = load_mail(store, "r1");

        REQUIRE(mail.size() == 2);
        CHECK(mail[0].run == "r1");
        CHECK(mail[0].body == "body of m1");
        CHECK(mail[1].id == "m3");
        CHECK(refusal([&] { load_mail(store, "r2"); }).code == Code::usage);
    });
}
TEST_CASE("a run is not stored as waiting while it has mail that its owner does not know") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        send(store, "r1", "m1");
        auto batch = batch_of(store, "r1", {"asked"});
        batch.left = left(RunStatus::waiting);

        CHECK(append(store, batch) == AppendReply::has_mail);
        CHECK(append(store, batch) == AppendReply::has_mail);
        CHECK(row(store, "r1").status == RunStatus::running);
        CHECK(load(store, "r1").ticks.size() == 2);

        CHECK(leave(store, "r1", left(RunStatus::waiting, "", 1)) == AppendReply::stored);
        CHECK(row(store, "r1").status == RunStatus::waiting);
    });
}
TEST_CASE("mail makes a waiting run ready") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        leave(store, "r1", left(RunStatus::waiting));

        CHECK(claim(store, {.owner = "bob"}).empty());
        CHECK(send(store, "r1", "m").status == RunStatus::ready);
        CHECK(ids(claim(store, {.owner = "bob"})) == std::vector<std::string>{"r1"});
        CHECK(send(store, "r1", "n").status == RunStatus::running);
    });
}
TEST_CASE("a batch of a left run is still reported as stored when mail has made the run ready") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto batch = batch_of(store, "r1", {"asked"});
        batch.left = left(RunStatus::waiting);
        append(store, batch);
        send(store, "r1", "m");

        CHECK(append(store, batch) == AppendReply::stored);
        CHECK(row(store, "r1").status == RunStatus::ready);
    });
}
TEST_CASE("runs are claimed by priority, and then by age") {
    on_every_store([](Store& store, House&) {
        for (auto [id, priority] : {std::pair("old", 0), std::pair("young", 0), std::pair("urgent", 5)}) {
            auto run = run_of(id, "");
            run.priority = priority;
            create(store, run);
        }

        auto first = claim(store, {.owner = "bob", .most = 2});

        CHECK(ids(first) == std::vector<std::string>{"urgent", "old"});
        CHECK(first[0].epoch == 1);
        CHECK(first[0].owner == "bob");
        CHECK(ids(claim(store, {.owner = "bob"})) == std::vector<std::string>{"young"});
        CHECK(claim(store, {.owner = "bob"}).empty());
    });
}
TEST_CASE("the highest and the lowest priority keep their order when one claim takes both") {
    on_every_store([](Store& store, House&) {
        using Limits = std::numeric_limits<decltype(NewRun::priority)>;
        for (auto [id, priority] : {std::pair("low", Limits::min()), {"usual", 0}, {"high", Limits::max()}}) {
            auto run = run_of(id, "");
            run.priority = priority;
            create(store, run);
        }

        CHECK(ids(claim(store, {.owner = "bob", .most = 3})) == std::vector<std::string>{"high", "usual", "low"});
    });
}
TEST_CASE("a claim takes only runs of the workflows that it names") {
    on_every_store([](Store& store, House&) {
        auto a = run_of("a", ""), b = run_of("b", ""), c = run_of("c", ""), d = run_of("d", "");
        b.queue = "slow", c.plan.workflow = "claims", d.plan.hash = "h4";
        for (auto& run : {a, b, c, d}) create(store, run);

        CHECK(ids(claim(store, {.owner = "o", .queues = {"slow", "none"}})) == std::vector<std::string>{"b"});
        CHECK(ids(claim(store, {.owner = "o", .workflows = {"claims"}})) == std::vector<std::string>{"c"});
        CHECK(ids(claim(store, {.owner = "o", .hashes = {"h4"}})) == std::vector<std::string>{"d"});
        CHECK(claim(store, {.owner = "o", .ids = {"b", "x"}}).empty());
        CHECK(ids(claim(store, {.owner = "o", .ids = {"a"}})) == std::vector<std::string>{"a"});
    });
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("four threads claim each run once") {
    on_every_store([](Store& store, House&) {
        for (int i = 0; i < 40; ++i) create(store, run_of("r" + std::to_string(i), ""));
        std::vector<std::vector<std::string>> got(4);

        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < got.size(); ++i)
            threads.emplace_back([&, i] {
                for (;;) {
                    auto rows = claim(store, {.owner = "o" + std::to_string(i), .most = 3});
                    if (rows.empty()) break;
                    for (auto& row : rows) got[i].push_back(row.id);
                }
            });
        for (auto& thread : threads) thread.join();

        std::vector<std::string> all;
        for (auto& one : got) all.insert(all.end(), one.begin(), one.end());
        std::sort(all.begin(), all.end());
        CHECK(all.size() == 40);
        CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    });
}
TEST_CASE("calls of one thread take effect in their order, without waiting for answers") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto batch = batch_of(store, "r1", {"1"});
        std::promise<void> last;

        for (int i = 1; i <= 50; ++i) {
            store.append(batch, [&, i](std::exception_ptr error, AppendReply answer) {
                CHECK_FALSE(error);
                CHECK(answer == AppendReply::stored);
                if (i == 50) last.set_value();
            });
            batch.ticks = ticks(++batch.seq, {std::to_string(i + 1)}, batch.ticks[0].sum);
        }
        last.get_future().get();

        auto history = load(store, "r1");
        REQUIRE(history.ticks.size() == 51);
        CHECK(history.ticks[50].body == "50");
    });
}
TEST_SUITE_END();
TEST_CASE("runs are ready under a new epoch when their owner's lease is over, and the owner is notified") {
    on_every_store([](Store& store, House& house) {
        CHECK(heartbeat(store, "ann", 1000).alive);
        CHECK(heartbeat(store, "bob", 60'000).alive);
        create(store, run_of("r1", "ann"));
        create(store, run_of("r2", "bob"));
        house.time += 2'000'000;

        heartbeat(store, "bob");

        auto lost = row(store, "r1");
        CHECK(lost.status == RunStatus::ready);
        CHECK(lost.epoch == 2);
        CHECK(lost.takeovers == 1);
        CHECK(lost.owner.empty());
        CHECK(row(store, "r2").status == RunStatus::running);
        CHECK_FALSE(heartbeat(store, "ann").alive);
        CHECK(claim(store, {.owner = "ann"}).empty());
        CHECK(ids(claim(store, {.owner = "bob"})) == std::vector<std::string>{"r1"});
    });
}
TEST_CASE("a store counts the takeovers of a run until its next record") {
    on_every_store([](Store& store, House& house) {
        create(store, run_of("r1", "ann"));
        heartbeat(store, "ann", 1000);
        for (std::uint64_t times = 1; times <= 3; ++times) {
            house.time += 2'000'000;
            heartbeat(store, "bob " + std::to_string(times), 1000);
            CHECK(claim(store, {.owner = "bob " + std::to_string(times)}).at(0).takeovers == times);
        }

        append(store, batch_of(store, "r1", {}));
        CHECK(row(store, "r1").takeovers == 3);
        append(store, batch_of(store, "r1", {"a tick"}));
        CHECK(row(store, "r1").takeovers == 0);
        append(store, batch_of(store, "r1", {"another"}));
        CHECK(load(store, "r1").ticks.size() == 3);
    });
}
TEST_CASE("an owner that renews its lease in time keeps its runs, and receives mail for them") {
    on_every_store([](Store& store, House& house) {
        heartbeat(store, "ann", 1000);
        create(store, run_of("r1", "ann"));
        create(store, run_of("r2", "ann"));
        for (int i = 0; i < 5; ++i) {
            house.time += 500'000;
            CHECK(heartbeat(store, "ann", 1000).alive);
            heartbeat(store, "bob", 1000);
        }
        send(store, "r2", "m1");
        send(store, "r2", "m2");

        auto reply = heartbeat(store, "ann");

        CHECK(row(store, "r1").epoch == 1);
        REQUIRE(reply.inboxes.size() == 1);
        CHECK(reply.inboxes[0].run == "r2");
        CHECK(reply.inboxes[0].mail == 2);
        CHECK(heartbeat(store, "bob").inboxes.empty());
    });
}
TEST_CASE("a run waiting until a time is ready at the first heartbeat after it") {
    on_every_store([](Store& store, House& house) {
        create(store, run_of("r1"));
        auto how = left(RunStatus::waiting);
        how.wake_at = house.time + 1'000'000;
        leave(store, "r1", how);

        heartbeat(store, "bob");
        CHECK(row(store, "r1").status == RunStatus::waiting);
        CHECK(row(store, "r1").wake_at == how.wake_at);
        house.time += 2'000'000;
        heartbeat(store, "bob");

        CHECK(row(store, "r1").status == RunStatus::ready);
        CHECK_FALSE(row(store, "r1").wake_at);
    });
}
TEST_CASE("a list has the runs of its filter, the newest first") {
    on_every_store([](Store& store, House&) {
        for (auto id : {"a", "b", "c"}) create(store, run_of(id));
        leave(store, "b", left(RunStatus::done, "{}"));
        const auto before = row(store, "b").updated_at;

        CHECK(ids(list(store)) == std::vector<std::string>{"c", "b", "a"});
        CHECK(ids(list(store, {.most = 1})) == std::vector<std::string>{"c"});
        CHECK(ids(list(store, {.statuses = {RunStatus::done}})) == std::vector<std::string>{"b"});
        CHECK(ids(list(store, {.updated_before = before})) == std::vector<std::string>{"c", "a"});
        CHECK(list(store, {.workflows = {"claims"}}).empty());
    });
}
TEST_CASE("pruning deletes ended runs with all their data, and no other") {
    on_every_store([](Store& store, House&) {
        auto keyed = run_of("a");
        keyed.start_key = "A-17";
        create(store, keyed);
        create(store, run_of("b"));
        send(store, "a", "m");
        leave(store, "a", left(RunStatus::done, "{}"));

        CHECK(prune(store, {.ids = {"b"}}) == 0);
        CHECK(prune(store) == 1);

        CHECK(ids(list(store)) == std::vector<std::string>{"b"});
        CHECK(refusal([&] { load(store, "a"); }).code == Code::usage);
        keyed.ticks = ticks(0, {"new"});
        CHECK(create(store, keyed).is_new);
        CHECK(load(store, "a").mail.empty());
        CHECK(bodies(load(store, "a")) == std::vector<std::string>{"new"});
    });
}
TEST_CASE("an owner gets no lease when its run was freed before its first heartbeat") {
    on_every_store([](Store& store, House&) {
        auto run = run_of("r1", "");
        run.owner = "ann";
        create(store, run);
        heartbeat(store, "bob");
        REQUIRE(row(store, "r1").status == RunStatus::ready);

        CHECK_FALSE(heartbeat(store, "ann").alive);
        CHECK(claim(store, {.owner = "ann"}).empty());
        CHECK(claim(store, {.owner = "bob"}).size() == 1);
    });
}
