// The ending of a run with an undo step, from random states: it begins when all other work has really ended, ends with
// the first status, and no event is lost or dropped twice.
#include "engine/core/machine/reducer.hpp"
#include "engine/event.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <random>
using namespace weft;
using namespace weft::core;

namespace {
// start(0) => { item(1) -> work(1) -> done(2), question(4), left(6) & right(7) -> pair(3) -> done(2) } -> collect(2)
// answer(5) -> work(1); ending(8) -> undo(4) => item(1)
constexpr TypeIndex item = 1, done = 2, stop = 3, question = 4, answer = 5, left = 6, right = 7, ending = 8;
constexpr StepIndex spread = 0, work = 1, collect = 2, pair = 3, undo = 4;
Plan plan_of(std::uint32_t quorum) {
    return {.events = {{EventRole::plain, 0, 1, spread},
                       {EventRole::plain, 1, 1, work},
                       {EventRole::plain, 2, 1},
                       {EventRole::stop, 3},
                       {.role = EventRole::request, .first = 3, .lane = 5},
                       {EventRole::plain, 3, 1, work, any_question},
                       {EventRole::plain, 4, 1},
                       {EventRole::plain, 5, 1},
                       {EventRole::ending, 6, 1}},
            .steps = {{.workers = 1},
                      {.workers = 2, .first_fan = 1},
                      {.takes = quorum ? Takes::first : Takes::all, .first_fan = 1, .first = quorum},
                      {.takes = Takes::parts, .first_fan = 1, .parts = 2},
                      {.first_fan = 1}},
            .consumers = {{spread}, {work}, {collect}, {work}, {pair, 0}, {pair, 1}, {undo}},
            .fan_outs = {{1u << collect, true}, {1u << collect, true}},
            .questions = 1,
            .has_first = quorum > 0};
}
class World {
public:
    World(const Plan& p, unsigned seed) : plan(p), state(p), random(seed) { arrive(0); }
    Emitted make(TypeIndex type) {
        const Handle cell = next_cell++;
        if (const auto uses = plan.events[type].count) cells[cell] = uses;
        return {cell, type};
    }
    void tell(Tick tick, std::vector<Emitted> events = {}) {
        tick.events = events;
        if (tick.kind == Tick::finished || tick.kind == Tick::dropped || (tick.kind == Tick::failed && !tick.retry))
            release_input(tick.token);
        Commands out;
        reduce(plan, state, tick, out);
        for (auto& c : out) {
            if (c.kind == Command::discard || c.kind == Command::unhandled) release(c.cell);
            if (c.kind == Command::invoke) invoked.push_back(c.step);
            if (c.kind == Command::end) ++ends;
            if (c.kind == Command::cancel) CHECK(bool(state.tokens[c.token].dropped));
        }
    }
    void arrive(TypeIndex type) { tell({.kind = Tick::arrived}, {make(type)}); }
    std::vector<Handle> with(TokenPhase phase) const {
        std::vector<Handle> all;
        for (Handle h : state.tokens.used())
            if (state.tokens[h].phase == phase) all.push_back(h);
        return all;
    }
    Handle any_of(const std::vector<Handle>& all) { return all[random() % all.size()]; }
    /// A step ends, fails, or is tried again; a question is answered.
    void step() {
        const auto running = with(TokenPhase::running), delayed = with(TokenPhase::delayed);
        if (!delayed.empty() && random() % 3 == 0) {
            const Handle h = any_of(delayed);
            return tell({.kind = state.tokens[h].dropped ? Tick::dropped : Tick::due, .token = h});
        }
        if (running.empty() || random() % 5 == 0) return arrive(answer);
        const Handle h = any_of(running);
        if (state.tokens[h].dropped) return tell({.kind = Tick::dropped, .token = h});
        if (random() % 6 == 0) return tell({.kind = Tick::failed, .retry = true, .token = h});
        const StepIndex at = state.tokens[h].step;
        const bool spreads = at == spread || (at == undo && random() % 2);
        std::vector<Emitted> events;
        constexpr TypeIndex parts[] = {item, question, left, right};
        if (spreads)
            for (unsigned n = random() % 9; n > 0; --n) events.push_back(make(parts[random() % 4]));
        else if (at == work || at == pair)
            if (random() % 4) events.push_back(make(done));
        tell({.kind = Tick::finished, .fan_out = spreads, .token = h}, events);
    }
    /// The work that was cancelled ends.
    void drop_all() {
        for (Handle h : state.tokens.used())
            if (state.tokens[h].dropped) tell({.kind = Tick::dropped, .token = h});
    }
    bool has_ended() const { return state.status != RunStatus::running; }

    const Plan& plan;
    State state;
    std::minstd_rand random;
    std::map<Handle, int> cells;  // uses of the events that exist
    Handle next_cell = 0;
    std::vector<StepIndex> invoked;
    int ends = 0;

private:
    void release(Handle cell) {
        const auto found = cells.find(cell);
        if (plan.events.empty() || found == cells.end()) return;  // a stop event has no consumer
        if (--found->second == 0) cells.erase(found);
    }
    void release_input(Handle h) {
        const Token& token = state.tokens[h];
        if (token.cell != none) {
            REQUIRE(cells.contains(token.cell));
            release(token.cell);
        }
        for (Handle i = token.cell == none ? token.items : none; i != none; i = state.tokens[i].next) {
            REQUIRE(cells.contains(state.tokens[i].cell));
            release(state.tokens[i].cell);
        }
    }
};
void walk(World& w, unsigned ticks) {
    for (unsigned i = 0; i < ticks && !w.has_ended(); ++i) w.step();
}
}

TEST_CASE(
    "an ending from any state invokes the undo step once, when all cancelled work has ended, and loses no event") {
    for (const std::uint32_t quorum : {0u, 2u}) {
        const auto plan = plan_of(quorum);
        for (unsigned seed = 1; seed < 400; ++seed) {
            CAPTURE(seed);
            CAPTURE(quorum);
            World w(plan, seed);
            walk(w, seed % 40);
            const auto status = std::array{RunStatus::cancelled, RunStatus::timed_out, RunStatus::failed}[seed % 3];
            w.invoked.clear();
            const auto failing = w.with(TokenPhase::running);
            const bool by_step = status == RunStatus::failed && !failing.empty() &&
                                 !w.state.tokens[failing.front()].dropped;
            const auto culprit = by_step ? StepIndex(w.state.tokens[failing.front()].step) : no_step;
            if (by_step) w.tell({.kind = Tick::failed, .token = failing.front()}, {w.make(ending)});
            else w.tell({.kind = Tick::ended, .status = status}, {w.make(ending)});
            REQUIRE_FALSE(w.has_ended());
            CHECK(w.state.groups.used().empty());
            CHECK(w.with(TokenPhase::question).empty());
            const auto at_work = w.state.live - 1;
            if (w.state.ending == EndingPhase::abandoning) {
                CHECK(at_work > 0);
                CHECK(w.invoked.empty());
                w.arrive(answer);  // dropped
                CHECK(w.state.live - 1 == at_work);
            }
            w.drop_all();
            CHECK(w.invoked == std::vector{undo});
            CHECK(w.state.ending == EndingPhase::undoing);
            CHECK(w.state.live == 1);
            CHECK(w.cells.size() == 1);  // the undo step's event
            walk(w, seed % 7);
            if (seed % 5 == 0 && !w.has_ended()) w.tell({.kind = Tick::ended, .status = RunStatus::cancelled});
            if (seed % 5 == 1 && !w.has_ended()) w.tell({.kind = Tick::ended, .status = RunStatus::timed_out});
            for (int i = 0; i < 10'000 && !w.has_ended(); ++i) w.step();
            REQUIRE(w.has_ended());
            CHECK(w.state.status == status);
            CHECK(w.ends == 1);
            if (status == RunStatus::failed) CHECK(w.state.culprit == culprit);
            CHECK(std::count(w.invoked.begin(), w.invoked.end(), undo) >= 1);
        }
    }
}
TEST_CASE("a stop event of an undoing run ends it with the first status, and is dropped") {
    const auto plan = plan_of(0);
    World w(plan, 1);
    w.tell({.kind = Tick::ended, .status = RunStatus::timed_out}, {w.make(ending)});
    w.drop_all();
    const Handle h = w.with(TokenPhase::running).front();
    w.tell({.kind = Tick::finished, .token = h}, {w.make(stop)});
    CHECK(w.state.status == RunStatus::timed_out);
    CHECK(w.state.result == none);
    CHECK(w.cells.empty());
}
TEST_CASE("a failure of the undo step ends the run with the first status and culprit") {
    const auto plan = plan_of(0);
    World w(plan, 1);
    w.tell({.kind = Tick::failed, .token = w.with(TokenPhase::running).front()}, {w.make(ending)});
    CHECK(w.state.ending == EndingPhase::undoing);  // nothing else was at work
    w.tell({.kind = Tick::failed, .token = w.with(TokenPhase::running).front()});
    CHECK(w.state.status == RunStatus::failed);
    CHECK(w.state.culprit == spread);
}
TEST_CASE("an end without an event ends a run at once, as in journals of earlier versions") {
    const auto plan = plan_of(0);
    World w(plan, 1);
    w.tell({.kind = Tick::ended, .status = RunStatus::cancelled});
    CHECK(w.state.status == RunStatus::cancelled);
    CHECK(w.state.ending == EndingPhase::not_begun);
}
