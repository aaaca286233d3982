// Alarms of both clocks: an alarm either rings once at its time, or is lost with its context.
#include "engine/testing/manual_clock.hpp"
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>
#include <optional>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct Told {
    int rings = 0, losses = 0;
};
struct Scene {
    Told told;
    std::optional<asio::io_context> io{std::in_place};
    std::unique_ptr<Alarm> alarm;
    explicit Scene(Clock& clock)
        : alarm(clock.make_alarm(
              io->get_executor(), [this] { ++told.rings; }, [this] { ++told.losses; })) {}
    void turn() {
        io->restart();
        io->run();
    }
};
}

TEST_CASE("an alarm rings once at its time, and is not lost afterwards") {
    testing::ManualClock manual;
    for (Clock* clock : {static_cast<Clock*>(&manual), &real_clock()}) {
        Scene s(*clock);
        s.alarm->set(clock->now() + 1ms);
        if (clock == &manual) manual.advance(1ms);
        s.turn();
        CHECK(s.told.rings == 1);
        if (clock != &manual) s.alarm.reset();  // its timer belongs to the context
        s.io.reset();
        CHECK(s.told.rings == 1);
        CHECK(s.told.losses == 0);
    }
}
TEST_CASE("an alarm is lost once when its context is destroyed first") {
    testing::ManualClock manual;
    Scene s(manual);
    s.alarm->set(manual.now() + 1h);
    s.io->poll();
    s.io.reset();
    CHECK(s.told.losses == 1);
    CHECK(s.told.rings == 0);
    s.alarm.reset();
    CHECK(!manual.jump());
}
TEST_CASE("a cleared alarm neither rings nor is lost, even after its time") {
    testing::ManualClock manual;
    for (Clock* clock : {static_cast<Clock*>(&manual), &real_clock()}) {
        Scene s(*clock);
        s.alarm->set(clock->now());
        s.alarm->clear();
        s.turn();
        s.alarm->set(clock->now() - 1h);
        s.alarm.reset();
        s.turn();
        s.io.reset();
        CHECK(s.told.rings == 0);
        CHECK(s.told.losses == 0);
    }
}
TEST_CASE("an alarm cleared and set again does not ring at the earlier time") {
    testing::ManualClock manual;
    for (Clock* clock : {static_cast<Clock*>(&manual), &real_clock()})
        for (int handlers = 0; handlers < 8; ++handlers) {
            Scene s(*clock);
            int before = 0;
            s.alarm->set(clock->now() - 1s);
            for (int i = 0; i < handlers; ++i) asio::post(*s.io, [] {});
            for (int i = 0; i < handlers; ++i) s.io->poll_one();
            asio::post(*s.io, [&] {
                before = s.told.rings;
                s.alarm->clear();
                s.alarm->set(clock->now() + 1h);
            });
            s.io->restart();
            s.io->poll();
            CHECK(s.told.rings == before);
            s.alarm.reset();
        }
}
TEST_CASE("an alarm set again rings only at the new time") {
    testing::ManualClock manual;
    Scene s(manual);
    s.alarm->set(manual.now() + 1s);
    s.alarm->set(manual.now() + 3s);
    manual.advance(2s);
    s.turn();
    CHECK(s.told.rings == 0);
    manual.advance(1s);
    s.turn();
    CHECK(s.told.rings == 1);
    s.alarm->set(manual.now());  // immediately, but in another turn
    CHECK(s.told.rings == 1);
    s.turn();
    CHECK(s.told.rings == 2);
    CHECK(!manual.jump());
}
TEST_CASE("a test's wall clock follows the test's time, and its jump rings no alarm") {
    testing::ManualClock manual;
    Scene s(manual);
    s.alarm->set(manual.now() + 1s);
    const auto begin = manual.now();
    CHECK(manual.wall() == std::chrono::sys_days(std::chrono::year(2026) / 1 / 1));

    manual.advance(1500us);
    const auto before = manual.wall();
    CHECK(before == std::chrono::sys_days(std::chrono::year(2026) / 1 / 1) + 1500us);

    manual.jump_wall(2h);
    CHECK(manual.wall() == before + 2h);
    manual.jump_wall(-3h);
    CHECK(manual.wall() == before - 1h);
    CHECK(manual.now() == begin + 1500us);
    s.turn();
    CHECK(s.told.rings == 0);

    CHECK(manual.jump());
    CHECK(manual.wall() == before - 1h + 998'500us);
    s.turn();
    CHECK(s.told.rings == 1);
}
TEST_CASE("the machine's wall clock gives the date") {
    const auto before = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const auto now = real_clock().wall();
    CHECK(now >= before);
    CHECK(now <= std::chrono::system_clock::now());
}
TEST_CASE("a clock's maximum time is far in the future, and its texts are in seconds") {
    testing::ManualClock manual;
    CHECK(manual.after(Duration::max()) == Clock::Time::max());
    CHECK(manual.after(2s) == manual.now() + 2s);
    CHECK(in_seconds(1500ms) == "1.5 s");
    CHECK(in_seconds(-2s) == "-2 s");
}
