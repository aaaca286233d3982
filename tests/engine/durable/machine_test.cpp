// Enumerates the decisions about a stored run: each state after a few inputs gets each input, and the rules of
// engine/durable/machine.hpp hold in all of them. A value stands for the store's possible state.
#include "engine/durable/machine.hpp"
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <tuple>
#include <vector>
using namespace weft::durability;

namespace {
constexpr int most_steps = 6;

struct World {
    DurableState state;
    bool is_owned = false;     // this engine may own the run in the store
    std::uint32_t unsent = 0;  // batches that the driver has to send
    auto key() const {
        const auto& s = state;
        return std::tuple(s.phase, s.reason, s.delivery, s.is_keyed, s.is_detached, s.is_ours, s.says_idle, s.failures,
                          s.batches, s.notes, s.under_way, is_owned, unsent);
    }
    bool operator<(const World& other) const { return key() < other.key(); }
};
bool is_answer(Input::Kind kind) { return kind >= Input::stored && kind <= Input::fenced; }
std::vector<Input> all_inputs() {
    std::vector<Input> all;
    for (int kind = 0; kind < inputs; ++kind) {
        const Input input{Input::Kind(kind)};
        all.push_back(input);
        if (!is_answer(input.kind)) continue;
        all.push_back({input.kind, BatchContent::end});
        all.push_back({input.kind, BatchContent::note});
    }
    return all;
}
std::vector<World> beginnings() {
    std::vector<World> all{{.state = {.phase = Phase::claiming}}};
    for (bool is_keyed : {false, true})
        for (bool is_detached : {false, true})
            all.push_back({.state = {.is_keyed = is_keyed, .is_detached = is_detached}});
    return all;
}
bool may_come(const World& world, Input input) {
    if (!weft::durability::may_come(world.state, input)) return false;
    // The driver sends immediately; only an answer of the store may precede.
    if (world.unsent > 0) return input.kind == Input::sent || is_answer(input.kind);
    return input.kind != Input::sent;
}
DurableCommands tell(World& world, Input input) {
    const auto before = world.state;
    const auto commands = decide(world.state, input);
    const auto& s = world.state;
    if (commands.contains(DurableCommand::send)) ++world.unsent;
    if (commands.contains(DurableCommand::send_all)) world.unsent = s.batches + s.notes;
    if (input.kind == Input::sent) --world.unsent;
    if (is_over(s) || s.delivery != Delivery::flowing) world.unsent = 0;
    if (input.kind == Input::sent && before.phase == Phase::creating) world.is_owned = !before.is_detached;
    if (commands.contains(DurableCommand::claim) || input.kind == Input::load || input.kind == Input::claimed)
        world.is_owned = true;
    const bool is_given = commands.contains(DurableCommand::give_back) ||
                          commands.contains(DurableCommand::give_back_claim) || commands.contains(DurableCommand::park);
    const bool is_gone = input.kind == Input::unclaimed || s.reason == Reason::taken_over ||
                         s.reason == Reason::lapsed || (s.phase == Phase::ended && s.batches == 0);
    if (is_given || (is_gone && input.kind != Input::claimed)) world.is_owned = false;
    return commands;
}
void check(const DurableState& before, Input input, const World& after, const DurableCommands& commands) {
    const auto& s = after.state;
    CAPTURE(int(before.phase));
    CAPTURE(int(input.kind));
    CAPTURE(int(s.phase));
    CHECK(is_possible(s));
    // No record takes effect before it is stored.
    const bool tells = commands.contains(DurableCommand::tell);
    CHECK((!tells || (input.kind == Input::stored && before.delivery == Delivery::flowing)));
    CHECK((!tells || *commands.begin() == DurableCommand::drop_oldest));
    const bool counts_as_stored = commands.contains(DurableCommand::drop_oldest);
    CHECK((!counts_as_stored || input.kind == Input::stored || input.kind == Input::fenced));
    CHECK((!counts_as_stored || s.batches + s.notes + 1 == before.batches + before.notes));
    // An ended run stays ended, and stores nothing.
    if (is_over(before)) {
        CHECK(s.phase == before.phase);
        CHECK(s.reason == before.reason);
        for (auto command : commands)
            CHECK((command == DurableCommand::pass || command == DurableCommand::load ||
                   command == DurableCommand::give_back_claim));
    }
    CHECK((!is_over(s) || !commands.contains(DurableCommand::send)));
    CHECK((!commands.contains(DurableCommand::record) || is_recorded(before)));
    // Readers get the end once, unless the run waits outside of memory or its loop has ended.
    const bool is_new = is_over(s) && !is_over(before);
    const bool is_silent = s.reason == Reason::parked || s.reason == Reason::closed;
    CHECK(commands.contains(DurableCommand::refuse) == (is_new && !is_silent));
    // The run leaves memory without a loss, or is marked as left behind.
    CHECK((!commands.contains(DurableCommand::park) || is_at_rest(before)));
    CHECK((!is_at_rest(before) || before.phase == Phase::live));
    if (is_over(s) && after.is_owned) CHECK(is_left_behind(s));
    // No decision follows from an unknown state.
    CHECK((!is_unknown(before) || input.kind != Input::arrival || commands.only() == DurableCommand::postpone));
}
/// The store works and answers all calls, and then the loop ends.
World settled(World world) {
    for (int step = 0; step < 100; ++step) {
        const auto& s = world.state;
        if (world.unsent > 0) tell(world, {Input::sent});
        else if (s.under_way > 0)
            tell(world, {Input::stored, s.batches > 0 ? BatchContent::ticks : BatchContent::note});
        else if (is_over(s)) return world;
        else if (s.delivery == Delivery::pausing) tell(world, {Input::pause_over});
        else if (s.phase == Phase::claiming) tell(world, {Input::claimed});
        else if (s.phase == Phase::loading) tell(world, {Input::restored});
        else if (s.phase == Phase::ended) return world;
        else tell(world, {Input::destroy});
    }
    FAIL("it comes to no end");
    return world;
}
/// Returns all states after a few inputs, with the number of sequences that lead to them.
struct Reached {
    std::set<World> worlds;
    std::set<std::pair<Phase, Input::Kind>> pairs;
    std::uint64_t sequences = 0, steps = 0;
};
Reached reach() {
    Reached reached;
    std::map<World, std::uint64_t> last;
    for (const auto& world : beginnings()) last[world] = 1;
    for (int step = 0; step < most_steps; ++step) {
        std::map<World, std::uint64_t> next;
        for (const auto& [world, ways] : last) {
            reached.worlds.insert(world);
            for (const auto input : all_inputs()) {
                if (!may_come(world, input)) continue;
                auto after = world;
                const auto commands = tell(after, input);
                check(world.state, input, after, commands);
                reached.pairs.insert({world.state.phase, input.kind});
                reached.sequences += ways;
                ++reached.steps;
                next[after] += ways;
            }
        }
        last = std::move(next);
    }
    for (const auto& [world, ways] : last) reached.worlds.insert(world);
    return reached;
}
DurableState after(std::initializer_list<Input::Kind> kinds, DurableState state = {}) {
    for (auto kind : kinds) decide(state, {kind});
    return state;
}
}

TEST_CASE("a stored run keeps the rules of durability with any inputs in any order") {
    const auto reached = reach();

    std::set<Phase> seen;
    for (const auto& world : reached.worlds) seen.insert(world.state.phase);
    CHECK(seen.size() == phases);
    std::set<Input::Kind> told;
    for (const auto& pair : reached.pairs) told.insert(pair.second);
    CHECK(told.size() == inputs);
    MESSAGE(reached.worlds.size() << " states, " << phases << " phases, " << inputs << " inputs, "
                                  << reached.pairs.size() << " pairs of these that can be, " << reached.steps
                                  << " steps, " << reached.sequences << " sequences of up to " << most_steps);
}
TEST_CASE("a stored run ends or is given back from any state when the store works") {
    for (const auto& world : reach().worlds) {
        const auto end = settled(world).state;
        CAPTURE(int(world.state.phase));
        const bool has_ended = end.phase == Phase::ended && end.batches == 0;
        CHECK((has_ended || is_over(end)));
        CHECK((has_ended || !settled(world).is_owned || is_left_behind(end)));
    }
}
TEST_CASE("each phase accepts each possible input, and refuses the impossible ones") {
    std::map<Phase, DurableState> one;
    for (const auto& world : reach().worlds) one.try_emplace(world.state.phase, world.state);
    int taken = 0, impossible = 0;
    for (auto& [phase, state] : one)
        for (const auto input : all_inputs()) {
            auto next = state;
            if (!weft::durability::may_come(state, input)) {
                ++impossible;
                continue;
            }
            decide(next, input);
            CHECK(is_possible(next));
            ++taken;
        }
    CHECK(one.size() == phases);
    MESSAGE(taken << " pairs of a phase and an input were taken, " << impossible << " cannot be");
}
TEST_CASE("a stored run begins no work without a lease, or before the record that causes it is stored") {
    for (const auto& world : reach().worlds)
        for (int bits = 0; bits < 16; ++bits) {
            const WorkRequest asked{bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8)};
            if (is_over(world.state) || !may_begin(world.state, asked)) continue;
            CHECK(asked.has_lease);
            CHECK(asked.is_stored);
            CHECK((asked.has_turn || !asked.is_step));
            CHECK_FALSE((is_ended(world.state) && asked.is_step));
        }
}
TEST_CASE("a stored run is lost when its batches were not stored nine times in a row") {
    auto state = after({Input::tick, Input::sent});
    for (unsigned n = 0; n < most_failures; ++n) {
        CHECK(decide(state, {Input::failed}).only() == DurableCommand::pause);
        decide(state, {Input::pause_over});
        decide(state, {Input::sent});
    }
    CHECK(decide(state, {Input::failed}).only() == DurableCommand::refuse);
    CHECK(state.reason == Reason::unstored);
    CHECK(is_left_behind(state));
}
TEST_CASE("a run starts again and is claimed when its key already has a run") {
    auto state = after({Input::tick, Input::sent}, {.is_keyed = true});
    CHECK(decide(state, {Input::arrival}).only() == DurableCommand::postpone);
    CHECK(decide(state, {Input::elsewhere}).contains(DurableCommand::claim));
    CHECK(state == DurableState{.phase = Phase::claiming, .is_ours = true});
}
TEST_CASE("a run claimed after it has left memory is given back when its records arrive") {
    auto state = after({Input::claim, Input::leave, Input::claimed}, {.phase = Phase::claiming});
    CHECK(is_left_behind(state));
    CHECK(decide(state, {Input::loaded}).only() == DurableCommand::give_back_claim);
    CHECK_FALSE(is_left_behind(state));
}
TEST_CASE("a note that is fenced after the end of its run is dropped, and a tick is not") {
    const auto ended = after(
        {Input::tick, Input::sent, Input::stored, Input::idle, Input::sent, Input::end, Input::sent});
    auto state = ended;
    CHECK(decide(state, {Input::fenced, BatchContent::note}).only() == DurableCommand::drop_oldest);
    state = ended;
    CHECK(decide(state, {Input::fenced, BatchContent::ticks}).only() == DurableCommand::refuse);
    CHECK(state.reason == Reason::taken_over);
}
TEST_CASE("a run continues when only its note was not stored, and notes again what it waits for") {
    auto state = after({Input::tick, Input::sent, Input::stored, Input::idle, Input::sent});
    CHECK(decide(state, {Input::failed, BatchContent::note}).only() == DurableCommand::drop_notes);
    CHECK(is_at_rest(state));
    CHECK(decide(state, {Input::idle}).contains(DurableCommand::note));
}
