// A loop with the test's clock, so that hours pass without a wait.
#pragma once
#include "engine/loop.hpp"
#include "engine/store.hpp"
#include "engine/testing/manual_clock.hpp"
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

namespace dying {
using namespace weft;

struct Timed {
    weft::testing::ManualClock& clock;
    asio::io_context io{1};
    Loop loop;
    Timed(weft::testing::ManualClock& c, Store& store, std::uint32_t snapshot_every = core::ticks_between_snapshots)
        : clock(c),
          loop(Runtime{io.get_executor(), &c}, {.store = &store, .seed = 1, .snapshot_every = snapshot_every}) {}
    void run() {
        io.restart();
        io.run_for(std::chrono::milliseconds(0));
        while (io.poll() > 0) {}
    }
    template <class Done> void until(Done done) {
        for (int i = 0; i < 1000 && !done(); ++i) {
            run();
            if (!done()) clock.jump();
        }
        REQUIRE(done());
    }
};
}
