#include "engine/all.hpp"
#include "engine/asio.hpp"
#include "engine/core/wait/withdrawal.hpp"
#include "engine/pool.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/sentence.hpp"
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <doctest/doctest.h>
#include <future>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {
awaitable<int> after(Duration d, int value) {
    co_await sleep_for(d);
    co_return value;
}
awaitable<int> guarded(Duration limit, awaitable<int> work) { co_return co_await with_timeout(limit, std::move(work)); }
awaitable<int> stubborn(int& tries) {
    for (;;) try {
            ++tries;
            co_await sleep_for(1h);
        } catch (const std::exception&) {}
}
awaitable<int> stubborn_within(core::Withdrawal& withdrawal, int& tries) {
    for (;;) try {
            ++tries;
            auto napping = after(1h, 1);
            auto within = core::until_withdrawn(withdrawal, std::move(napping));
            co_await std::move(within);
        } catch (const std::exception&) {}
}
}

TEST_CASE("a manual clock lets hours pass in no time") {
    testing::ManualClock clock;
    auto begin = clock.now();
    CHECK(testing::await(after(5h, 7), clock) == 7);
    CHECK(clock.now() - begin == 5h);
}
TEST_CASE("a timeout cancels its work, waits for its end, and reports how long it waited") {
    testing::ManualClock clock;
    bool cancelled = false;
    const auto begin = clock.now();
    const auto wait = [](bool& c) -> awaitable<int> {
        try {
            co_await sleep_for(1h);
        } catch (const boost::system::system_error& e) { c = e.code() == asio::error::operation_aborted; }
        co_return 1;
    };
    CHECK(testing::await(guarded(1s, wait(cancelled)), clock) == 1);  // a late end counts
    CHECK(cancelled);
    CHECK(clock.now() == begin + 1s);
    CHECK(testing::await(guarded(2s, after(1s, 3)), clock) == 3);
    CHECK_THROWS_WITH_AS(testing::await(guarded(1500ms, after(1h, 3)), clock), "no result within 1.5 s", Error);
}
TEST_CASE("with_timeout cancels its work, and throws only after the work has ended") {
    testing::ManualClock clock;
    Names order;
    const auto body = [](Names& order) -> awaitable<void> {
        try {
            co_await sleep_for(1h);
        } catch (const boost::system::system_error& e) {
            order.emplace_back(e.code() == asio::error::operation_aborted ? "cancelled" : "failed");
            throw;
        }
    };
    const auto outer = [](awaitable<void> work, Names& order) -> awaitable<void> {
        try {
            co_await with_timeout(2s, std::move(work));
        } catch (const Error& e) { order.emplace_back(name(e.code())); }
    };
    const auto begin = clock.now();
    testing::await(outer(body(order), order), clock);
    CHECK(order == Names{"cancelled", "timed_out"});
    CHECK(clock.now() - begin == 2s);
}
TEST_CASE("with_timeout passes on the work's own result or error, even at the last moment") {
    testing::ManualClock clock;
    const auto fails = []() -> awaitable<int> {
        co_await sleep_for(1s);
        throw std::runtime_error("its own");
    };
    CHECK_THROWS_WITH_AS(testing::await(guarded(2s, fails()), clock), "its own", std::runtime_error);
    const auto rescues = []() -> awaitable<int> {
        try {
            co_await sleep_for(1h);
        } catch (const std::exception&) {}
        co_return 7;
    };
    CHECK(testing::await(guarded(2s, rescues()), clock) == 7);
    CHECK(testing::await(guarded(2s, after(1s, 3)), clock) == 3);
    CHECK(!clock.jump());  // no alarm is left behind
}
TEST_CASE("a coroutine is stopped at its second wait after it has caught its cancellation") {
    testing::ManualClock clock;
    int tries = 0;
    CHECK_THROWS_AS(testing::await(guarded(1s, stubborn(tries)), clock), Error);
    CHECK(tries == 2);

    core::Withdrawal withdrawal;
    tries = 0;
    CHECK_THROWS_AS(testing::await(guarded(1s, stubborn_within(withdrawal, tries)), clock), Error);
    CHECK(tries == 2);
}
TEST_CASE("a nested timeout does not change the outer one") {
    testing::ManualClock clock;
    int tries = 0;
    CHECK_THROWS_WITH_AS(testing::await(guarded(1h, guarded(1s, stubborn(tries))), clock), "no result within 1 s",
                         Error);
    CHECK_THROWS_WITH_AS(testing::await(guarded(1s, guarded(1h, stubborn(tries))), clock), "no result within 1 s",
                         Error);
    CHECK(testing::await(guarded(1h, guarded(1h, after(1s, 5))), clock) == 5);
}
TEST_CASE("a wait for an impossible event is a failure, not a hang") {
    auto lost = []() -> awaitable<void> { co_await std::suspend_always(); };
    CHECK_THROWS_AS(testing::await(lost()), Error);
}
TEST_CASE("a context leaves nothing behind when it is destroyed while awaitables wait") {
    testing::ManualClock clock;
    asio::io_context io;
    auto nap = []() -> awaitable<void> {
        with_default<asio::steady_timer> timer(co_await this_executor(), 1h);
        co_await timer.async_wait();
    };
    spawn(io.get_executor(), nap(), asio::detached);
    spawn(io.get_executor(), guarded(1h, after(2h, 1)), asio::detached);
    io.poll();
}
TEST_CASE("blocking work runs on another thread, and its caller resumes on the loop") {
    Pool pool;
    auto home = std::this_thread::get_id();
    auto body = [](Pool& p, std::thread::id home) -> awaitable<int> {
        auto work = [home](std::stop_token) { return std::this_thread::get_id() == home ? 0 : 42; };
        auto n = co_await p.run(std::move(work));
        co_return std::this_thread::get_id() == home ? n : -1;
    };
    CHECK(testing::await(body(pool, home)) == 42);
    auto bad = [](Pool& p) -> awaitable<void> {
        auto work = [](std::stop_token) { throw std::runtime_error("broken"); };
        co_await p.run(std::move(work));
    };
    CHECK_THROWS_WITH(testing::await(bad(pool)), "broken");
}
TEST_CASE("a timeout stops blocking work and waits for its end") {
    Pool pool;
    testing::ManualClock clock;
    std::atomic<bool> ended = false;
    auto body = [](Pool& p, testing::ManualClock& clock, std::atomic<bool>& ended) -> awaitable<void> {
        auto work = [&](std::stop_token stop) {
            while (!stop.stop_requested()) clock.advance(5ms);  // the wait has begun, so its time may pass
            ended = true;
            throw boost::system::system_error(asio::error::operation_aborted);
        };
        auto running = p.run(std::move(work));
        co_await with_timeout(5ms, std::move(running));
    };
    CHECK_THROWS_WITH_AS(testing::await(body(pool, clock, ended), clock), "no result within 0.005 s", Error);
    CHECK(ended);
}
TEST_CASE("blocking work cancelled before its beginning is destroyed with its captures when its caller resumes") {
    asio::io_context io;
    testing::ManualClock clock;
    Pool pool(1);
    const auto held = std::make_shared<int>(1);
    std::promise<void> release;
    long holders = 0;
    auto occupy = [](Pool& p, std::future<void> released) -> awaitable<void> {
        auto work = [&released](std::stop_token) { released.wait(); };
        co_await p.run(std::move(work));
    };
    auto give_up = [](Pool& p, const std::shared_ptr<int>& held, std::promise<void>& release,
                      long& holders) -> awaitable<void> {
        auto work = [copy = held](std::stop_token) { return *copy; };
        auto waiting = p.run(std::move(work));
        auto limited = with_timeout(5ms, std::move(waiting));
        try {
            co_await std::move(limited);
        } catch (const Error&) { holders = held.use_count(); }
        release.set_value();
    };
    const Runtime runtime{io.get_executor(), &clock};
    spawn(runtime, occupy(pool, release.get_future()), asio::detached);
    spawn(runtime, give_up(pool, held, release, holders), asio::detached);
    io.poll();
    clock.advance(5ms);
    io.restart();
    io.run();
    CHECK(holders == 1);
}
TEST_CASE("spawn completes on the executor of its caller") {
    asio::io_context here, there;
    auto work = asio::make_work_guard(there);
    std::jthread other([&] { there.run(); });
    std::thread::id before, after;
    auto body = [&]() -> asio::awaitable<void> {
        auto sleep = []() -> awaitable<void> { co_await sleep_for(1ms); };
        before = std::this_thread::get_id();
        co_await spawn(there.get_executor(), sleep(), asio::use_awaitable);
        after = std::this_thread::get_id();
    };
    asio::co_spawn(here, body(), asio::detached);
    here.run();
    work.reset();
    CHECK(before == after);
    CHECK(after == std::this_thread::get_id());
}
namespace {
awaitable<int> twice(awaitable<int> one) {
    const int first = co_await std::move(one);
    co_return first + co_await std::move(one);  // NOLINT(bugprone-use-after-move)
}
awaitable<int> twice_within(awaitable<int> one) {
    const int first = co_await with_timeout(1h, std::move(one));
    co_return first + co_await with_timeout(1h, std::move(one));  // NOLINT(bugprone-use-after-move)
}
awaitable<int> twice_in_all(awaitable<int> one) {
    auto [first, second] = co_await all(std::move(one), std::move(one));  // NOLINT(bugprone-use-after-move)
    co_return first + second;
}
}
TEST_CASE("an awaitable throws when it is awaited twice") {
    testing::ManualClock clock;
    for (auto* act : {&twice, &twice_within, &twice_in_all}) {
        const auto said = testing::sentence(Code::usage, [&] { testing::await(act(after(1s, 3)), clock); });
        CHECK(said.starts_with("this awaitable was awaited, or moved away, already"));
    }
}
