#include "engine/error.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "tests/support/world.hpp"
#include "workflows/server/runs/envelope.hpp"
#include "workflows/server/runs/event_log.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::server;

namespace {
std::string event(int i) { return envelope("CountEvent", nullptr, R"({"n":)" + std::to_string(i) + "}"); }
/// Returns the events until the end or a wake-up, such as "0 1 2", internal ones in brackets after their number.
awaitable<std::string> read_all(std::shared_ptr<EventReader> reader) {
    std::string seen;
    for (;;) {
        auto reading = reader->next();
        const auto events = co_await std::move(reading);
        for (const auto& each : events) {
            seen += (seen.empty() ? "" : " ") +
                    (each.is_internal ? "[" + std::to_string(each.number) + "]" : std::to_string(each.number));
            if (each.is_last) seen += ".";
        }
        if (events.empty()) co_return seen;
    }
}
std::string read(const std::shared_ptr<EventLog>& log, ReaderOptions options = {}) {
    const auto reader = std::make_shared<EventReader>(log, options);
    reader->nudge();
    return testing::await(read_all(reader));
}
std::shared_ptr<EventLog> log_of(int events, LogLimits limits = {}) {
    auto log = std::make_shared<EventLog>(limits);
    for (int i = 0; i < events; ++i) log->add(event(i));
    return log;
}
/// A runtime without work, for logs whose store refuses no call.
const Runtime& nowhere() {
    static asio::io_context io;
    static const Runtime runtime{io.get_executor()};
    return runtime;
}
void create(MemoryStore& store, const std::string& run) {
    storage::NewRun created{.id = run, .start_key = {}, .plan = {"h", "w", "{}"}, .options = {}, .forked_from = {}};
    created.owner = "me";
    store.create(std::move(created),
                 [](const std::exception_ptr& error, const storage::CreateReply&) { CHECK_FALSE(error); });
}
}

TEST_CASE("each reader gets the events behind its cursor, in order, up to the last event") {
    const auto log = log_of(3);
    CHECK(read(log) == "0 1 2");
    CHECK(read(log, {.after = 1}) == "2");
    CHECK(read(log, {.after = 2}).empty());
    log->add(event(3), true);
    log->add(event(4));
    CHECK(log->ended());
    CHECK(read(log) == "0 1 2 3.");
    CHECK(read(log, {.after = 2}) == "3.");
    CHECK(read(log, {.after = 3}).empty());
    CHECK(read(log, {.most_bytes = 1}) == "0 1 2 3.");
}
TEST_CASE("waiting readers are all woken, each for all new events, however many there are") {
    World world;
    const auto log = std::make_shared<EventLog>();
    std::vector<std::string> seen(100);
    const auto follow = [](std::shared_ptr<EventReader> reader, std::string& to) -> awaitable<void> {
        auto reading = read_all(std::move(reader));
        to = co_await std::move(reading);
    };
    for (auto& each : seen) world.spawn(follow(std::make_shared<EventReader>(log, ReaderOptions()), each));
    world.turn();
    CHECK(log->readers() == 100);
    for (int i = 0; i < 20; ++i) {
        log->add(event(i), i == 19);
        if (i % 7 == 0) world.turn();
    }
    world.turn();

    std::string all;
    for (int i = 0; i < 20; ++i) all += (i ? " " : "") + std::to_string(i);
    for (const auto& each : seen) CHECK(each == all + ".");
    CHECK(log->readers() == 0);
}
TEST_CASE("internal events follow their public event on request, and few are kept") {
    const auto log = std::make_shared<EventLog>(LogLimits{.internal = 3});
    log->add_internal({.step = "review", .input = "RefundEvent", .output = {}, .worker = 0, .running = true});
    log->add(event(0));
    for (int i = 0; i < 2; ++i)
        log->add_internal({.step = "review", .input = "RefundEvent", .output = "E", .worker = 1, .running = false});

    CHECK(read(log) == "0");
    CHECK(read(log, {.internal = true}) == "[-1] 0 [0] [0]");
    CHECK(read(log, {.after = 0, .internal = true}) == "[0] [0]");
    log->add_internal({.step = "conclude", .input = {}, .output = {}, .worker = 0, .running = true});
    CHECK(read(log, {.internal = true}) == "0 [0] [0] [0]");

    const auto reader = std::make_shared<EventReader>(log, ReaderOptions{.after = 0, .internal = true});
    const auto text = *testing::await(reader->next()).at(0).envelope;
    CHECK(nlohmann::json::parse(text) == nlohmann::json::parse(R"({"value": {"name": "review",
        "step_state": "not_running", "worker_id": "1", "input_event_name": "RefundEvent", "output_event_name": "E"},
        "qualified_name": "StepStateChanged", "type": "StepStateChanged", "types": ["InternalDispatchEvent"]})"));
}
TEST_CASE("a log without a store drops its oldest events when it is too long, and tells a reader that needs them") {
    const auto log = log_of(10, {.events = 4});
    CHECK(log->first_kept() == 6);
    CHECK(log->has_all_after(5));
    CHECK_FALSE(log->has_all_after(4));
    CHECK(read(log, {.after = 5}) == "6 7 8 9");
    CHECK_THROWS_WITH_AS(read(log),
                         "the events up to number 5 are no longer kept: request those after it, or only the "
                         "result",
                         Error);
    const auto by_size = log_of(10, {.bytes = 3 * event(0).size()});
    CHECK(by_size->first_kept() == 7);
    CHECK(by_size->bytes() <= 3 * event(0).size());
}
TEST_CASE("a log with a store gives only stored events, keeps the latest in memory, and reads the others again") {
    MemoryStore store;
    create(store, "r");
    const auto log = std::make_shared<EventLog>(LogLimits{.latest = 4});
    log->set_epoch(1);
    log->keep_in(store, "r", nowhere());

    store.hold();
    log->add(event(0));
    CHECK(read(log).empty());
    store.flow();
    CHECK(read(log) == "0");
    for (int i = 1; i < 1200; ++i) log->add(event(i));
    CHECK(log->bytes() < 5 * event(1000).size());
    const auto all = read(log);
    CHECK(all.starts_with("0 1 2"));
    CHECK(all.ends_with("1198 1199"));
    CHECK(std::count(all.begin(), all.end(), ' ') == 1199);

    const auto after_restart = std::make_shared<EventLog>();
    after_restart->set_epoch(1);
    after_restart->keep_in(store, "r", nowhere(), 1200);
    CHECK(read(after_restart, {.after = 1197}) == "1198 1199");
    after_restart->add(event(1200), true);
    CHECK(read(after_restart, {.after = 1198}) == "1199 1200.");
}
TEST_CASE("a log hands an event to the store again until it is stored, also the last event of a run") {
    using FailureMode = FailingStore::FailureMode;
    for (const auto how : {FailureMode::not_stored, FailureMode::stored}) {
        MemoryStore memory;
        create(memory, "r");
        FailingStore store(memory);
        asio::io_context io;
        testing::ManualClock clock;
        const auto log = std::make_shared<EventLog>();
        log->set_epoch(1);
        log->keep_in(store, "r", {io.get_executor(), &clock});

        log->add(event(0));
        store.fail(0, how);
        log->add(event(1), true);
        CHECK(read(log) == "0");
        for (int i = 0; i < 3; ++i) {
            testing::drive(io, clock);
            io.restart();
        }

        CHECK(read(log) == "0 1.");
    }
}
TEST_CASE("a log is withheld from readers, and takes nothing, when its run has another owner") {
    MemoryStore store;
    create(store, "r");
    const auto log = std::make_shared<EventLog>();
    log->set_epoch(0);
    log->keep_in(store, "r", nowhere());
    log->add(event(0));
    CHECK_THROWS_AS(read(log), Error);
}
TEST_CASE("an envelope has the roles that clients need, and an overlong event is not sent in part") {
    using nlohmann::json;
    CHECK(json::parse(envelope("A", nullptr, "{}")) ==
          json::parse(R"({"value": {}, "qualified_name": "A", "type": "A", "types": null})"));
    CHECK(json::parse(envelope("Q", "InputRequiredEvent", R"({"a":"}\""})", QuestionId(7)))["question"] == "7");
    const auto of_child = json::parse(envelope("A", nullptr, "{}", QuestionId::none, {"claims:7/3.0.1.0", "settle"}));
    CHECK(of_child["run"] == "claims:7/3.0.1.0");
    CHECK(of_child["path"] == "settle");
    auto plain = envelope("Q", "StopEvent", R"({"a":"}\",\"qualified_name\":"})");
    const auto [begin, end] = find_qualified_name(plain);
    plain.erase(begin, end - begin);
    CHECK(json::parse(plain) ==
          json::parse(R"({"value": {"a": "}\",\"qualified_name\":"}, "type": "Q", "types": ["StopEvent"]})"));
    const auto large = json::parse(envelope("A", nullptr, "{\"a\":\"" + std::string(2 << 20, 'a') + "\"}"));
    CHECK(large["value"]["left_out"].get<std::string>().find("2097160 bytes") != std::string::npos);
}
