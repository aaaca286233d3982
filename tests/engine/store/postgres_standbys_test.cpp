// A primary with synchronous standbys: the store answers a call only when a standby has its data. The server answers
// earlier if an administrator ends its wait for them, and then shows a commit that no standby has, as after a restart.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>

using namespace stores;

namespace {
constexpr int a_long_time = 600'000;  // milliseconds
class PendingCall;
/// A server whose only standby never comes: each commit waits, until release() or the end.
class LonelyPrimary {
public:
    LonelyPrimary() { server.clear(); }
    ~LonelyPrimary() { release(); }
    void wait_for_standbys();
    void release() {
        server.sql("alter system reset synchronous_standby_names");
        server.sql("select pg_reload_conf()");
    }
    void end_wait(const std::string& how, const std::string& process) {
        server.sql("select " + how + "(" + process + ")");
    }
    /// Returns the newest process of the server that waits for standbys, except `former`; empty: the call was answered
    /// before.
    std::string waiting(const PendingCall& call, const std::string& former = "0");
    PostgresStore open() {  // no limit depends on the speed of the machine
        return PostgresStore(
            server.url(),
            {.connect_ms = a_long_time, .silence_ms = a_long_time, .patience_ms = a_long_time, .hints = false});
    }

    PostgresServer& server = PostgresServer::shared();
};
/// A call on a thread of its own. Its destructor waits for the thread, so it first lets the server's commits go on.
class PendingCall {
public:
    PendingCall(LonelyPrimary& primary, std::function<void()> act)
        : primary_(primary), done_(std::async(std::launch::async, std::move(act))) {}
    PendingCall(const PendingCall&) = delete;
    PendingCall& operator=(const PendingCall&) = delete;
    ~PendingCall() {
        if (done_.valid()) primary_.release();
    }
    bool has_ended() const { return done_.wait_for(std::chrono::milliseconds(5)) == std::future_status::ready; }
    void get() { done_.get(); }

private:
    LonelyPrimary& primary_;
    std::future<void> done_;
};
std::string LonelyPrimary::waiting(const PendingCall& call, const std::string& former) {
    while (!call.has_ended()) {
        auto process = server.value_of("select pid from pg_stat_activity where wait_event = 'SyncRep' and pid <> " +
                                       former + " order by backend_start desc");
        if (!process.empty()) return process;
    }
    return {};
}
void LonelyPrimary::wait_for_standbys() {
    server.sql("alter system set synchronous_standby_names = 'nobody'");
    server.sql("select pg_reload_conf()");
    std::string waits;  // the server takes the new setting some time later
    while (waits.empty()) {
        PendingCall commit(*this, [this] { server.sql("select pg_logical_emit_message(true, 'test', '')"); });
        waits = waiting(commit);
        if (!waits.empty()) end_wait("pg_cancel_backend", waits);
        commit.get();
    }
}
NewRun debounced(const std::string& id) {
    auto run = run_of(id, "");
    run.debounce = "customer 7";
    run.not_before = 0;
    return run;
}
using Call = std::function<bool(Store&)>;
/// Calls that change the runs r1 (of ann, with one tick), r2 (ready) and r3 (done), and the queue q (with limits).
const std::map<std::string, Call> changes{
    {"append", [](Store& s) { return append(s, batch_of(s, "r1", {"a"})) == AppendReply::stored; }},
    {"append with two ticks",
     [](Store& s) {
         return append(s, batch_of(s, "r1", {"a", "b"})) == AppendReply::stored;
     }},
    {"claim", [](Store& s) { return claim(s, {.owner = "bob"}).size() == 1; }},
    {"create", [](Store& s) { return create(s, run_of("new", "")).is_new; }},
    {"create, debounced", [](Store& s) { return create(s, debounced("new")).is_new; }},
    {"create many",
     [](Store& s) {
         return answer_of<std::vector<CreateReply>>([&](auto then) {
                    s.create_all({run_of("new", ""), run_of("newer", "")}, then);
                }).size() == 2;
     }},
    {"heartbeat", [](Store& s) { return heartbeat(s, "bob").alive; }},
    {"limits",
     [](Store& s) {
         answer_of<bool>([&](auto then) { s.set_limits({.queue = "q"}, then); });
         return true;
     }},
    {"prune", [](Store& s) { return prune(s) < 2; }},  // a lost answer loses its count, 1
    {"send", [](Store& s) { return send(s, "r1", "m1").is_new; }},
    {"write the log", [](Store& s) { return write_log(s, entries_of("r1", 0, {"x"})).next == 1; }},
};
storage::NewRun keyed(const std::string& id) {
    auto run = run_of(id, "");
    run.start_key = "order 7";
    return run;
}
/// Makes a call that two processes with the run r1 make. Its second answer comes from the rows of the first call.
using Repeated = std::function<Call(Store&)>;
const std::map<std::string, Repeated> repeats{
    {"append",
     [](Store& s) -> Call {
         return [batch = batch_of(s, "r1", {"a"})](Store& each) { return append(each, batch) == AppendReply::stored; };
     }},
    {"append with two ticks",
     [](Store& s) -> Call {
         return [batch = batch_of(s, "r1", {"a", "b"})](Store& each) {
             return append(each, batch) == AppendReply::stored;
         };
     }},
    {"create", [](Store&) -> Call { return [](Store& each) { return create(each, run_of("new", "")).id == "new"; }; }},
    {"create by a key",
     [](Store&) -> Call {
         return [count = std::make_shared<std::atomic<int>>()](Store& each) {  // each process makes an id of its own
             return create(each, keyed("new" + std::to_string(++*count))).id == "new1";
         };
     }},
    {"create many",
     [](Store&) -> Call {
         return [](Store& each) {
             return answer_of<std::vector<CreateReply>>([&](auto then) {
                        each.create_all({run_of("new", ""), run_of("newer", "")}, then);
                    }).size() == 2;
         };
     }},
};
}
TEST_CASE("a call is answered only when a standby has its data, although the server's wait for it was ended") {
    for (const std::string end : {"pg_cancel_backend", "pg_terminate_backend"})
        for (auto& each : changes) {
            CAPTURE(end);
            CAPTURE(each.first);
            LonelyPrimary primary;
            auto store = primary.open();
            for (auto* id : {"r1", "r3"}) create(store, run_of(id));
            create(store, run_of("r2", ""));
            auto last = batch_of(store, "r3", {"end"});
            last.left = left(RunStatus::done, "{}");
            append(store, last);
            answer_of<bool>([&](auto then) { store.set_limits({.queue = "q", .running = 1}, then); });
            primary.wait_for_standbys();
            bool is_right = false;
            PendingCall call(primary, [&] { is_right = each.second(store); });
            const auto first = primary.waiting(call);
            REQUIRE(!first.empty());

            primary.end_wait(end, first);  // the change is visible from now on

            CHECK(!primary.waiting(call, first).empty());
            primary.release();
            call.get();
            CHECK(is_right);
        }
}
TEST_CASE("a repeated call is answered only when a standby has what another process has stored") {
    for (auto& each : repeats) {
        CAPTURE(each.first);
        LonelyPrimary primary;
        auto store = primary.open(), other = primary.open();
        create(store, run_of("r1"));
        const auto call = each.second(store);
        primary.wait_for_standbys();
        bool is_first_right = false, is_second_right = false;
        PendingCall first(primary, [&] { is_first_right = call(store); });
        const auto process = primary.waiting(first);
        REQUIRE(!process.empty());
        primary.end_wait("pg_cancel_backend", process);  // its data are visible from now on
        const auto repeated = primary.waiting(first, process);
        REQUIRE(!repeated.empty());

        PendingCall second(primary, [&] { is_second_right = call(other); });

        CHECK(!primary.waiting(second, repeated).empty());
        primary.release();
        first.get();
        second.get();
        CHECK(is_first_right);
        CHECK(is_second_right);
    }
}
TEST_CASE("a call that waits for a standby leaves no processes at the server when its connections are lost") {
    LonelyPrimary primary;
    PostgresStore store(primary.server.url(), {.connect_ms = a_long_time, .silence_ms = 300, .hints = false});
    create(store, run_of("r1"));
    const auto batch = batch_of(store, "r1", {"a"});
    primary.wait_for_standbys();
    AppendReply reply{};
    PendingCall call(primary, [&] { reply = append(store, batch); });
    std::set<std::string> seen;
    int most = 0;

    while (seen.size() < 6) {
        const auto process = primary.waiting(call);
        REQUIRE(!process.empty());
        seen.insert(process);
        most = std::max(most, std::stoi(primary.server.value_of(
                                  "select count(*) from pg_stat_activity where wait_event = 'SyncRep'")));
    }

    CHECK(most <= 3);  // the current one, and those that are about to end
    primary.release();
    call.get();
    CHECK(reply == AppendReply::stored);
}
