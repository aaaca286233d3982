#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/impl/async_mutex.hpp"
#include "engine/signal.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
#include <thread>
using namespace weft;

namespace {
awaitable<void> count_rings(Signal signal, int most, std::atomic<int>& counted) {
    while (counted < most) {
        co_await signal.wait();
        ++counted;
    }
}
awaitable<void> pass_gate(core::AsyncMutex& gate, int number, Signal leaves, std::vector<int>& order) {
    auto entering = gate.enter();
    const auto pass = co_await std::move(entering);
    order.push_back(number);
    co_await leaves.wait();
}
}

TEST_CASE("a signal raised before the wait wakes the waiter immediately, and only once") {
    World world;
    const Signal signal;
    std::atomic<int> counted = 0;
    signal.ring();
    signal.ring();
    world.spawn(count_rings(signal, 3, counted));
    world.turn();
    CHECK(counted == 1);
    signal.ring();
    world.turn();
    CHECK(counted == 2);
}
TEST_CASE("a signal on the same thread resumes its waiter inside the call, or is kept for the next waiter") {
    World world;
    const Signal signal;
    std::atomic<int> counted = 0;
    signal.ring_here();
    world.spawn(count_rings(signal, 3, counted));
    world.turn();
    CHECK(counted == 1);
    signal.ring_here();
    CHECK(counted == 2);
    signal.ring();
    signal.ring_here();  // the first signal's turn is pending
    CHECK(counted == 2);
    world.turn();
    CHECK(counted == 3);
}
TEST_CASE("a waiter for a signal can be cancelled, and a signal without waiters may be raised") {
    World world;
    const Signal signal;
    bool late = false;
    world.spawn([](Signal b, bool& timed_out) -> awaitable<void> {
        auto waiting = [](Signal inner) -> awaitable<void> { co_await inner.wait(); }(b);
        try {
            co_await with_timeout(std::chrono::milliseconds(1), std::move(waiting));
        } catch (const Error& error) { timed_out = error.code() == Code::timed_out; }
    }(signal, late));
    world.turn();
    CHECK(late);
    signal.ring();
}
TEST_CASE("a signal refuses a second waiting coroutine, and the first one keeps waiting") {
    World world;
    const Signal signal;
    std::atomic<int> counted = 0;
    std::string refusal;
    world.spawn(count_rings(signal, 1, counted));
    world.turn();
    world.spawn([](Signal b, std::string& said) -> awaitable<void> {
        try {
            co_await b.wait();
        } catch (const Error& error) { said = error.what(); }
    }(signal, refusal));
    world.turn();
    CHECK(refusal.find("give each its own") != refusal.npos);
    signal.ring();
    world.turn();
    CHECK(counted == 1);
}
TEST_CASE("a context destroys the waiter for a signal when it is destroyed") {
    const Signal signal;
    std::atomic<int> counted = 0;
    {
        World world;
        world.spawn(count_rings(signal, 1, counted));
        world.io.poll();
    }
    signal.ring();
    CHECK(counted == 0);
}
TEST_SUITE("threads") {
    TEST_CASE("a signal may be raised by any thread, and a later check sees each raise") {
        Engine engine;
        const Signal signal;
        std::atomic<int> counted = 0;
        std::thread ringing([&] {
            for (int heard = 0; heard < 1000; heard = counted) {
                signal.ring();
                std::this_thread::yield();
            }
        });
        auto counting = count_rings(signal, 1000, counted);
        engine.wait(std::move(counting));
        ringing.join();
        CHECK(counted == 1000);
    }
}
TEST_CASE("a gate admits coroutines in the order of their calls when another one calls at the moment of an exit") {
    World world;
    core::AsyncMutex gate;
    const Signal leaves[4];
    std::vector<int> order;
    for (int n = 0; n < 3; ++n) world.spawn(pass_gate(gate, n, leaves[n], order));
    world.turn();
    leaves[0].ring();
    world.spawn(pass_gate(gate, 3, leaves[3], order));
    for (int n = 1; n < 4; ++n) {
        world.turn();
        CHECK(order.back() == n);
        leaves[n].ring();
    }
    world.turn();
    CHECK(order == std::vector{0, 1, 2, 3});
}
TEST_CASE("a gate admits the next coroutine when one that waits is cancelled") {
    World world;
    core::AsyncMutex gate;
    const Signal leaves[3];
    std::vector<int> order;
    bool late = false;
    world.spawn(pass_gate(gate, 0, leaves[0], order));
    world.turn();
    world.spawn([](core::AsyncMutex& g, Signal leave, std::vector<int>& entered, bool& timed_out) -> awaitable<void> {
        try {
            co_await with_timeout(std::chrono::milliseconds(1), pass_gate(g, 1, leave, entered));
        } catch (const Error& error) { timed_out = error.code() == Code::timed_out; }
    }(gate, leaves[1], order, late));
    world.spawn(pass_gate(gate, 2, leaves[2], order));
    world.turn();
    CHECK(late);
    leaves[0].ring();
    world.turn();
    CHECK(order == std::vector{0, 2});
    leaves[2].ring();
    world.turn();
}
