// RunOptions::not_before: a run waits in the store for its time, and begins once, wherever somebody claims it.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
using namespace weft;
using namespace dying;
using storage::RunRow;
using namespace std::chrono_literals;

namespace {
struct LetterEvent : StartEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(LetterEvent, (), (text))
struct PostedEvent : StopEvent {
    std::int64_t at = 0;  // microseconds since 1970
    int begun = 0;
};
BOOST_DESCRIBE_STRUCT(PostedEvent, (), (at, begun))
struct PostOffice {
    const Clock& clock;
    int begun = 0;
};
std::int64_t microseconds(WallTime at) { return at.time_since_epoch().count(); }
PostedEvent post(Context&, LetterEvent, PostOffice& office) {
    return {.at = microseconds(office.clock.wall()), .begun = ++office.begun};
}
inline constexpr auto letter = workflow("letter", step<post>);

struct Town {
    testing::ManualClock clock;
    MemoryStore store{[this] { return microseconds(clock.wall()); }};
    PostOffice office{clock};
    Bound<std::remove_cvref_t<decltype(letter)>> workflow = letter.with(office);
    const WallTime begin = clock.wall();
    RunRow row(const std::string& id = "r") {
        RunRow found;
        store.list({.ids = {id}}, [&](std::exception_ptr, std::vector<RunRow> rows) { found = rows.at(0); });
        return found;
    }
    std::size_t claimed() {
        std::size_t count = 0;
        store.heartbeat({.id = "worker", .info = {}}, [](std::exception_ptr, storage::HeartbeatReply) {});
        const auto count_them = [&](std::exception_ptr, std::vector<RunRow> rows) { count = rows.size(); };
        storage::ClaimRequest any, named;
        any.owner = named.owner = "worker";
        named.ids = {"r"};
        store.claim(named, count_them);
        if (count == 0) store.claim(any, count_them);
        return count;
    }
    RunOptions in(std::chrono::hours wait) const { return {.id = "r", .not_before = begin + wait}; }
};
}

TEST_CASE("a run begins at its time in its own engine, and no claim takes it before") {
    Town town;
    Shop process(town.store, town.clock);
    auto run = process.loop.start(durable(town.workflow), {}, town.in(72h));
    process.poll();
    CHECK(town.row().status == RunStatus::waiting);
    CHECK(town.row().wake_at == microseconds(town.begin + 72h));
    CHECK(town.claimed() == 0);

    testing::drive(process.io, town.clock);

    REQUIRE(run.ended());
    CHECK(run.outcome().at == microseconds(town.begin + 72h));
    CHECK(town.office.begun == 1);
}
TEST_CASE("a run begins at once when its time is past") {
    Town town;
    Shop process(town.store, town.clock);
    auto run = process.loop.start(durable(town.workflow), {}, town.in(-1h));
    process.poll();
    CHECK(run.outcome().at == microseconds(town.begin));
}
TEST_CASE("a detached run becomes ready at its time, by the store's clock") {
    Town town;
    Shop process(town.store, town.clock);
    auto options = town.in(1h);
    options.detached = true;
    auto run = process.loop.start(durable(town.workflow), {}, options);
    process.poll();
    CHECK(run.ended());
    town.clock.advance(1h - 1us);
    CHECK(town.claimed() == 0);
    town.clock.advance(1us);
    CHECK(town.claimed() == 1);
    CHECK(town.claimed() == 0);
}
TEST_CASE("a run with a time begins once when its process dies at any call of the store") {
    bool died = true;
    for (long calls = 1; died; ++calls) {
        CAPTURE(calls);
        Town town;
        {
            Dying dying(town.store, calls);
            Shop first(dying, town.clock);
            auto run = first.loop.start(durable(town.workflow), {}, town.in(72h));
            for (int hour = 0; hour < 80; ++hour) {
                first.poll();
                town.clock.advance(1h);
            }
            died = dying.left <= 0;
        }
        free_all(town.store);
        Shop second(town.store, town.clock);
        auto run = resume_on(second.loop, durable(town.workflow), "r");
        testing::drive(second.io, town.clock);
        REQUIRE(run.ended());
        CHECK(run.outcome().at >= microseconds(town.begin + 72h));
        CHECK(town.row().status == RunStatus::done);
    }
}
TEST_CASE("a resumed run waits for its time, and gives the result of another process") {
    Town town;
    Shop first(town.store, town.clock), second(town.store, town.clock);
    auto run = first.loop.start(durable(town.workflow), {}, town.in(1h));
    first.poll();
    auto other = resume_on(second.loop, durable(town.workflow), "r");
    second.poll();
    CHECK_FALSE(other.ended());

    testing::drive(second.io, town.clock);
    testing::drive(first.io, town.clock);

    CHECK(run.outcome().at == microseconds(town.begin + 1h));
    CHECK(other.outcome().at == microseconds(town.begin + 1h));
    CHECK(town.office.begun == 1);
}
TEST_CASE("a run that waits for its time ends without a step when its handle cancels it") {
    for (const bool at_once : {true, false}) {
        Town town;
        Shop process(town.store, town.clock);
        auto run = process.loop.start(durable(town.workflow), {}, town.in(72h));
        if (!at_once) process.poll();
        run.cancel();
        process.poll();
        town.clock.advance(1s);
        process.poll();
        CHECK(run.ended());
        CHECK(town.row().status == RunStatus::cancelled);
        CHECK(town.office.begun == 0);
    }
}
TEST_CASE("a run that waits for its time ends without a step when mail cancels it") {
    Town town;
    Shop process(town.store, town.clock);
    auto run = process.loop.start(durable(town.workflow), {}, town.in(72h));
    process.poll();
    const storage::Mail cancel{.run = "r", .id = "weft:cancel", .body = R"({"cancel":true})", .is_urgent = true};
    town.store.send(cancel, [](std::exception_ptr, storage::SendReply) {});
    town.clock.advance(1min);
    process.poll();
    CHECK(run.ended());
    CHECK(town.row().status == RunStatus::cancelled);
    CHECK(town.office.begun == 0);
}
TEST_CASE("mail that does not cancel a run leaves it waiting for its time") {
    Town town;
    Shop process(town.store, town.clock);
    auto run = process.loop.start(durable(town.workflow), {}, town.in(72h));
    process.poll();
    const storage::Mail answer{.run = "r", .id = "m", .body = R"({"event":"PostedEvent","data":{}})"};
    town.store.send(answer, [](std::exception_ptr, storage::SendReply) {});
    CHECK(town.claimed() == 0);
    testing::drive(process.io, town.clock);
    CHECK(run.outcome().at == microseconds(town.begin + 72h));
}
TEST_CASE("the timeout of a run counts from its time") {
    Town town;
    Shop process(town.store, town.clock);
    auto options = town.in(72h);
    options.timeout = 1h;
    auto run = process.loop.start(durable(town.workflow), {}, options);
    testing::drive(process.io, town.clock);
    CHECK(run.outcome().at == microseconds(town.begin + 72h));

    options.id = "late";
    options.detached = true;
    options.not_before = town.clock.wall() + 72h;
    auto late = process.loop.start(durable(town.workflow), {}, options);
    process.poll();
    town.clock.advance(74h);
    auto timed_out = resume_on(process.loop, durable(town.workflow), "late");
    testing::drive(process.io, town.clock);
    CHECK(town.row("late").status == RunStatus::timed_out);
    CHECK(town.office.begun == 1);
}
TEST_CASE("a run with a time is acknowledged as soon as the store has it") {
    Town town;
    Shop process(town.store, town.clock);
    auto run = process.loop.start(durable(town.workflow), {}, town.in(72h));
    bool is_stored = false;
    spawn(process.loop.runtime(), run.until_stored(), [&](std::exception_ptr error) { is_stored = !error; });
    process.poll();
    CHECK(is_stored);
    is_stored = false;
    spawn(process.loop.runtime(), run.until_stored(), [&](std::exception_ptr error) { is_stored = !error; });
    process.poll();
    CHECK(is_stored);
}
TEST_CASE("a run begins once at its time when any one call of the store fails") {
    for (const auto how : {FailingStore::FailureMode::not_stored, FailingStore::FailureMode::stored})
        for (std::size_t n = 0; n < 12; ++n) {
            CAPTURE(n);
            Town town;
            FailingStore failing(town.store);
            Shop process(failing, town.clock);
            failing.fail(n, how);
            auto run = process.loop.start(durable(town.workflow), {}, town.in(1h));
            testing::drive(process.io, town.clock);
            if (town.row().status == RunStatus::done) CHECK(town.office.begun == 1);
            CHECK(run.ended());
        }
}
TEST_CASE("a run that waits for its time takes no place among the runs at once") {
    Town town;
    Engine engine({.store = &town.store, .clock = &town.clock, .runs_at_once = 1});
    auto later = engine.start(durable(town.workflow), {}, town.in(72h));
    engine.wait(later.until_stored());
    auto now = engine.start(durable(town.workflow), {});
    CHECK(engine.wait(now.result()).begun == 1);
}
TEST_CASE("a time to begin is refused when no store keeps the run") {
    Town town;
    Engine engine({.clock = &town.clock});
    CHECK_THROWS_WITH_AS(engine.start(durable(town.workflow), {}, town.in(1h)),
                         doctest::Contains("only a stored run waits"), Error);
}
