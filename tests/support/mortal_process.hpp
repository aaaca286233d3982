// One stored run and the process that has it: the process dies or leaves the run, and another one resumes it.
#pragma once
#include "tests/support/dying_store.hpp"
#include "tests/support/timed.hpp"
#include <memory>
#include <optional>

namespace dying {
template <class W> struct MortalProcess {
    MortalProcess(MemoryStore& s, weft::testing::ManualClock& c, Bound<W> b, std::uint32_t every = 0)
        : store(s), clock(c), bound(std::move(b)), snapshot_every(every) {}
    /// The options give the run the id "t".
    template <class E> void start(E event, const RunOptions& options) {
        begin();
        run = world->loop.start(bound, std::move(event), options);
        world->run();
    }
    void resume() {
        begin();
        run = resume_on(world->loop, bound, "t");
    }
    void die() {
        mortal->left = 0;
        run.reset();
        world.reset();
        free_all(store);
    }
    void die_and_resume(Duration outage) {
        die();
        clock.advance(outage);
        resume();
    }
    void leave() {
        if (!run->ended()) run->leave();
        world->run();
        die();
    }
    void pass(int minutes) {
        for (int i = 0; i < minutes && !run->ended(); i += 5) {
            clock.advance(std::chrono::minutes(5));
            world->run();
        }
    }

    MemoryStore& store;
    weft::testing::ManualClock& clock;
    Bound<W> bound;
    std::uint32_t snapshot_every;
    std::unique_ptr<Dying> mortal;
    std::unique_ptr<Timed> world;
    std::optional<Run<W>> run;

private:
    void begin() {
        mortal = std::make_unique<Dying>(store, 1'000'000);
        world = std::make_unique<Timed>(clock, *mortal, snapshot_every);
    }
};
}
