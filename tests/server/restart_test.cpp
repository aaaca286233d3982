// A server that is started again with the store of a killed or stopped one.
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/store/sharded_store.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/durable/reminder.hpp"
#include "tests/support/served_workflows.hpp"
#include <atomic>
#include <thread>
using namespace weft;
using nlohmann::json;
using testing::Caller;
using testing::events_in;
using testing::request_of;
using testing::ServedWorkflows;
using testing::unchunked;

namespace {
const std::string granted = R"({"event": {"type": "ApprovalEvent", "value": {"granted": true}}})";

/// Refuses writes of a log until another server has looked for the log's end; then the owner's last writes arrive.
class LateLogStore final : public MemoryStore {
public:
    void be_late() { is_late_ = true; }
    void write_log(storage::LogEntries entries, Then<storage::LogReply> then) override {
        if (!is_late_) return MemoryStore::write_log(std::move(entries), std::move(then));
        late_ = std::move(entries);
        then(std::make_exception_ptr(Error(Code::journal, "the connection is lost")), {});
    }
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart> then,
                  std::size_t most_bytes) override {
        if (is_late_ && ++reads_ == 3) {
            is_late_ = false;
            late_.entries.insert(late_.entries.begin(), {1, R"({"type":"ProgressEvent","value":{}})"});
            late_.entries.back().number = 2;
            MemoryStore::write_log(late_, [](const std::exception_ptr&, const storage::LogReply&) {});
        }
        MemoryStore::read_log(std::move(run), from, most, std::move(then), most_bytes);
    }

private:
    std::atomic<bool> is_late_ = false;
    int reads_ = 0;
    storage::LogEntries late_;
};
/// Answers claims of named runs late.
class LateClaimStore final : public MemoryStore {
public:
    void claim(storage::ClaimRequest claim, Then<std::vector<storage::RunRow>> then) override {
        if (!is_late || claim.ids.empty()) return MemoryStore::claim(std::move(claim), std::move(then));
        late_.emplace_back(std::move(claim), std::move(then));
    }
    void answer() {
        is_late = false;
        for (auto& [claim, then] : std::exchange(late_, {})) MemoryStore::claim(std::move(claim), std::move(then));
    }
    bool is_late = false;

private:
    std::vector<std::pair<storage::ClaimRequest, Then<std::vector<storage::RunRow>>>> late_;
};
/// Notes the calls that write logs and ticks.
class WatchedStore final : public MemoryStore {
public:
    void write_log(storage::LogEntries entries, Then<storage::LogReply> then) override {
        calls += " log";
        MemoryStore::write_log(std::move(entries), std::move(then));
    }
    void append(storage::Batch batch, Then<storage::AppendReply> then) override {
        calls += " append";
        MemoryStore::append(std::move(batch), std::move(then));
    }
    std::string calls;
};
struct CountStartEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(CountStartEvent, (), ())
struct CountedEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(CountedEvent, (), (number))
struct CountStopEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(CountStopEvent, (), ())
awaitable<CountStopEvent> count_later(Context& ctx, CountStartEvent) {
    co_await sleep_for(std::chrono::seconds(1));
    ctx.stream(CountedEvent{.number = 1});
    co_return CountStopEvent();
}
inline constexpr auto counting = workflow("counting", step<count_later>);
}

TEST_CASE("a waiting run is present after a restart, with its numbered events, and takes its answer") {
    MemoryStore store;
    std::string id;
    json before;
    {
        ServedWorkflows first({.store = &store});
        id = first.begin_refund();
        before = first.get("/handlers/" + id).json();
        CHECK(first.events(id).size() == 1);
    }
    ServedWorkflows world({.store = &store});
    const auto now = world.get("/handlers/" + id);

    CHECK(now.status() == 202);
    for (const char* same : {"handler_id", "run_id", "workflow_name", "status"})
        CHECK(now.json()[same] == before[same]);
    const auto again = world.events(id);
    REQUIRE(again.size() == 1);
    CHECK(again[0].id == 0);
    CHECK(again[0].envelope["type"] == "ApprovalRequestEvent");
    Caller reader(world.served);
    reader.send(request_of("GET", "/events/" + id, "", "Last-Event-ID: 0\r\n"));
    CHECK(world.post("/events/" + id, granted).json()["status"] == "sent");
    const auto text = reader.received();
    const auto rest = events_in(unchunked(testing::body_of(text)));
    REQUIRE_MESSAGE(rest.size() == 1, text);
    CHECK(rest[0].id == 1);
    CHECK(rest[0].envelope["type"] == "DecisionEvent");
}
TEST_CASE("a handler has no list of questions when the run has not returned from its store") {
    LateClaimStore store;
    std::string id;
    {
        ServedWorkflows first({.store = &store});
        id = first.begin_refund();
    }
    store.is_late = true;
    ServedWorkflows world({.store = &store});

    const auto early = world.get("/handlers/" + id).json();
    store.answer();
    world.served.turn();

    CHECK(early["status"] == "running");
    CHECK_FALSE(early.contains("questions"));
    CHECK_FALSE(early.contains("waiting"));
    CHECK(world.get("/handlers/" + id).json()["questions"].size() == 1);
}
TEST_CASE("runs lost by a server while its store was away for longer than a lease resume when the store is back") {
    using namespace std::chrono_literals;
    std::atomic<std::int64_t> now{1'000'000'000'000'000};  // the store's time, in microseconds
    MemoryStore store([&] { return now.load(); });
    store.share();
    ServedWorkflows world({.store = &store});
    const auto id = world.begin_refund();
    const auto row = [&] {
        return storage::answer_of<std::vector<storage::RunRow>>(
                   [&](auto then) { store.list({.workflows = {"refund"}}, then); })
            .at(0);
    };
    const auto before = row();

    store.hold();
    world.served.clock.advance(10s);
    world.served.turn();
    store.flow();
    const auto lost = world.get("/handlers/" + id).json();
    CHECK(lost["status"] == "running");
    CHECK_FALSE(lost.contains("questions"));
    CHECK(world.post("/events/" + id, granted).status() >= 400);
    now += 11'000'000;
    while (row().status != RunStatus::ready) std::this_thread::yield();  // heartbeats follow the wall clock
    world.served.clock.advance(1s);
    world.served.turn();

    CHECK(row().owner != before.owner);
    const auto again = world.events(id);
    REQUIRE(again.size() == 1);
    CHECK(again[0].id == 0);
    CHECK(world.post("/events/" + id, granted).json()["status"] == "sent");
    // The next step begins after the answer to the heartbeat that has made the run ready.
    while (world.get("/handlers/" + id).json()["status"] != "completed") std::this_thread::yield();
    CHECK(world.events(id, "?after_sequence=0").size() == 1);
}
TEST_CASE("a server with a store reports a begun run and an accepted answer once they are stored") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    Caller caller(world.served);
    const auto begins = R"({"handler_id": "a", "start_event": {"order": "A-17", "amount": 120}})";

    store.hold();
    CHECK(caller.ask(request_of("POST", "/workflows/refund/run-nowait", begins)).empty());
    store.flow();
    CHECK(testing::status_of(caller.received()) == 200);
    store.hold();
    CHECK(caller.ask(request_of("POST", "/events/a", granted)).empty());
    store.flow();
    CHECK(testing::status_of(caller.received()) == 200);
}
TEST_CASE("a run with a store streams its end when it has streamed nothing before") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    const auto body = R"({"handler_id": "h", "start_event": {"text": "World"}})";
    CHECK(world.post("/workflows/hello/run", body).status() == 200);
    const auto events = world.events("h");
    REQUIRE(events.size() == 1);
    CHECK(events[0].envelope["type"] == "GreetingEvent");
}
TEST_CASE("a server with a store streams all events of a run up to its end, and ends the stream cleanly") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    const auto id = world.begin_refund();
    Caller reader(world.served);
    auto text = reader.ask(request_of("GET", "/events/" + id));
    world.post("/events/" + id, granted);
    text += reader.received();

    CHECK(testing::types_in(events_in(unchunked(testing::body_of(text)))) ==
          std::vector<std::string>{"ApprovalRequestEvent", "DecisionEvent"});
    CHECK(text.ends_with("0\r\n\r\n"));
}
TEST_CASE("a restarted server lists ended runs with their results, and reads their events from the store") {
    MemoryStore store;
    json before;
    {
        ServedWorkflows first({.store = &store});
        const auto id = first.begin_refund();
        first.post("/events/" + id, granted);
        first.post("/workflows/refund/run", R"({"handler_id": "bad", "start_event": {"order": "", "amount": 9}})");
        before = first.get("/handlers").json();
        CHECK(before["handlers"].size() == 2);
    }
    ServedWorkflows world({.store = &store});
    const auto after = world.get("/handlers").json();

    REQUIRE(after["handlers"].size() == 2);
    for (std::size_t i = 0; i < 2; ++i)
        for (const char* same : {"handler_id", "run_id", "status", "error"})
            CHECK(after["handlers"][i][same] == before["handlers"][i][same]);
    for (const auto& handler : after["handlers"]) {
        const auto id = handler["handler_id"].get<std::string>();
        const auto events = world.events(id);
        REQUIRE_FALSE(events.empty());
        CHECK(events.back().envelope["types"] == json{"StopEvent"});
        CHECK(events.back().id == std::int64_t(events.size()) - 1);
        CHECK(world.get("/events/" + id + "?after_sequence=" + std::to_string(events.back().id)).status() == 204);
    }
}
TEST_CASE("a stored end missing from the log is streamed after a restart") {
    MemoryStore store;
    std::string id;
    {
        ServedWorkflows first({.store = &store});
        id = first.begin_refund();
        store.hold();  // further records are stored, and their answers are held back
        first.post("/handlers/" + id + "/cancel");
    }
    store.flow();
    ServedWorkflows world({.store = &store});
    const auto events = world.events(id);
    REQUIRE_FALSE(events.empty());
    CHECK(events.front().id == 0);
}
TEST_CASE("a server waits for the last events of a run that has just ended, which its owner still writes") {
    LateLogStore store;
    store.share();
    ServedWorkflows first({.store = &store});
    const auto id = first.begin_refund();
    store.be_late();
    first.post("/events/" + id, granted);

    ServedWorkflows second({.store = &store});

    CHECK(testing::types_in(second.events(id)) ==
          std::vector<std::string>{"ApprovalRequestEvent", "ProgressEvent", "DecisionEvent"});
}
TEST_CASE("the log of a run is written before the next tick when the store has to look for the run's database") {
    WatchedStore first, second;
    for (auto* store : {&first, &second}) store->share();
    ShardedStore store({&first, &second}, {1, 2});
    ServedWorkflows world({.store = &store}, [](Engine& engine, std::vector<server::ServedWorkflow>& all) {
        all.push_back(server::offer(engine, durable(counting)));
    });
    std::string id;
    while (!store.may_be_elsewhere(id))
        id = world.post("/workflows/counting/run-nowait", R"({"start_event": {}})").json()["run_id"];
    auto& database = store.shard_of(id) == 0 ? first : second;
    database.calls.clear();

    for (auto* each : {&first, &second}) each->hold();
    world.served.clock.advance(std::chrono::seconds(1));
    world.served.turn();

    CHECK(database.calls.find(" log") < database.calls.find(" append"));
    for (auto* each : {&first, &second}) each->flow();
    world.served.turn();
}
TEST_CASE("a purged run is gone from the store too") {
    MemoryStore store;
    std::string id;
    {
        ServedWorkflows first({.store = &store});
        id = first.begin_refund();
        CHECK(first.post("/handlers/" + id + "/cancel?purge=true").json()["status"] == "deleted");
    }
    ServedWorkflows world({.store = &store});
    CHECK(world.get("/handlers/" + id).status() == 404);
}
TEST_CASE("a run pruned by another process gives an error status, and no endlessly breaking stream") {
    MemoryStore store;
    const auto id = [&] {
        ServedWorkflows first({.store = &store});
        auto begun = first.begin_refund();
        first.post("/events/" + begun, granted);
        return begun;
    }();
    ServedWorkflows world({.store = &store});
    store.prune({}, [](const std::exception_ptr&, std::uint64_t pruned) { CHECK(pruned == 1); });
    CHECK(world.get("/events/" + id).status() == 404);
}
TEST_CASE("a client waiting for a run gets the run's handler in time when the server stops") {
    using namespace std::chrono_literals;
    ServedWorkflows world;
    Caller waiting(world.served);
    waiting.send(request_of("POST", "/workflows/refund/run",
                            R"({"handler_id": "a", "start_event": {"order": "A-17", "amount": 120}})"));
    world.served.server.stop(5s);
    world.served.turn();
    CHECK(waiting.received().empty());
    world.served.clock.advance(4s);
    const auto answer = waiting.received();
    CHECK(testing::status_of(answer) == 503);
    CHECK(answer.find("the handler_id of the run is a") != answer.npos);
    world.served.clock.advance(3s);  // the server's wait for the client to close
    world.served.turn();
    CHECK(world.served.ended);
}
TEST_CASE("a run with a time begins at it, also at the next server, and can be cancelled before") {
    using namespace std::chrono_literals;
    const auto begin = testing::ManualClock().wall();  // of the server
    std::atomic<std::int64_t> now{begin.time_since_epoch().count()};
    MemoryStore store([&] { return now.load(); });
    const auto body = [&](const std::string& id) {
        return R"({"start_event": {"text": "World"}, "handler_id": ")" + id +
               R"(", "not_before": "2099-01-01T09:00:00+01:00"})";
    };
    {
        ServedWorkflows first({.store = &store});
        for (const auto* id : {"greets", "cancelled"}) {
            const auto begun = first.post("/workflows/hello/run-nowait", body(id));
            CHECK(begun.status() == 200);
            CHECK(begun.json()["status"] == "running");
            CHECK(begun.json()["not_before"] == "2099-01-01T08:00:00.000000+00:00");
        }
    }
    ServedWorkflows second({.store = &store});
    CHECK(second.get("/handlers/greets").json()["not_before"] == "2099-01-01T08:00:00.000000+00:00");
    CHECK(second.post("/handlers/cancelled/cancel").json()["status"] == "cancelled");
    CHECK(second.events("greets").empty());
    const auto wait = WallTime(std::chrono::sys_days(std::chrono::year(2099) / 1 / 1) + 8h) - begin;
    now += wait.count();
    second.served.clock.advance(wait);
    second.served.turn();
    CHECK(second.get("/handlers/greets").json()["status"] == "completed");
    CHECK(second.get("/handlers/cancelled").json()["status"] == "cancelled");
}
TEST_CASE("a sleeping run tells until when it sleeps, also at the next server, and no longer after its end") {
    using namespace std::chrono_literals;
    MemoryStore store;
    reminders::Desk desk;
    const auto offers_reminder = [&desk](Engine& engine, std::vector<server::ServedWorkflow>& all) {
        all.push_back(server::offer(engine, durable(reminders::reminder.with(desk))));
    };
    const auto hours = std::chrono::hours(24 * 365 * 100);
    const auto start = R"({"handler_id": "century", "start_event": {"hours": )" + std::to_string(hours.count()) +
                       R"(, "fails": 0}})";
    std::string until;
    {
        ServedWorkflows first({.store = &store}, offers_reminder);
        CHECK(first.post("/workflows/reminder/run-nowait", start).status() == 200);
        first.served.turn();
        until = first.get("/handlers/century").json().at("sleeps_until");
        CHECK(until.starts_with("21"));
        CHECK(first.get("/handlers").json()["handlers"][0]["sleeps_until"] == until);
        const auto greets = first.post("/workflows/hello/run-nowait",
                                       R"({"start_event": {"text": "World"}, "not_before": "2099-01-01T09:00Z"})");
        CHECK(greets.json()["sleeps_until"] == "2099-01-01T09:00:00.000000+00:00");
    }
    ServedWorkflows second({.store = &store}, offers_reminder);
    CHECK(second.get("/handlers/century").json()["sleeps_until"] == until);
    CHECK(second.post("/handlers/century/cancel").json()["status"] == "cancelled");
    CHECK_FALSE(second.get("/handlers/century").json().contains("sleeps_until"));
}
TEST_CASE("a time to begin is refused when it is none, without a store, and when the request waits for the run") {
    MemoryStore store;
    const auto refused = [](ServedWorkflows& world, const std::string& route, const std::string& time) {
        const auto answer = world.post("/workflows/hello/" + route,
                                       R"({"start_event": {"text": "World"}, "not_before": ")" + time + "\"}");
        CHECK(answer.status() == 400);
        return answer.json().at("detail").get<std::string>();
    };
    ServedWorkflows with({.store = &store}), without;
    CHECK(refused(with, "run-nowait", "2099-01-01T09:00").find("add Z for UTC") != std::string::npos);
    CHECK(refused(with, "run-nowait", "soon").starts_with("\"not_before\" takes a time such as "));
    CHECK(refused(with, "run", "2099-01-01T09:00Z").find("begin the run by run-nowait") != std::string::npos);
    CHECK(refused(without, "run-nowait", "2099-01-01T09:00Z").find("needs a stored run") != std::string::npos);
}
