// A run that looks at something, and begins again until it has looked often enough: for the tests of begin_again().
#pragma once
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
#include <nlohmann/json.hpp>
#include <set>

namespace polls {
using namespace weft;
using namespace std::chrono_literals;

struct PollEvent : StartEvent {
    int round = 0, most = 3;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(PollEvent, (), (round, most, text))
struct LookEvent {
    int round = 0, most = 0;
};
BOOST_DESCRIBE_STRUCT(LookEvent, (), (round, most))
struct PolledEvent : StopEvent {
    int rounds = 0, looks = 0;
};
BOOST_DESCRIBE_STRUCT(PolledEvent, (), (rounds, looks))
struct Looks {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(Looks, (), (count))
struct Probe {
    std::map<int, std::set<std::string>> keys;  // of each round's decisions
    std::vector<int> looked;                    // rounds whose recorded work ran
    std::chrono::nanoseconds pause{0};
    int fails = 0;
    bool is_endless = false;
};
inline awaitable<int> look_once(Probe& probe, int round) {
    probe.looked.push_back(round);
    co_return round;
}
inline awaitable<LookEvent> look(Context& ctx, PollEvent poll, Probe& probe) {
    auto looking = look_once(probe, poll.round);
    co_await ctx.once("look", std::move(looking));
    ctx.edit<Looks>([](auto& looks) { ++looks.count; });
    if (probe.pause.count()) co_await ctx.sleep(probe.pause);
    co_return LookEvent{.round = poll.round, .most = poll.most};
}
inline std::optional<PolledEvent> decide(Context& ctx, LookEvent look, Probe& probe) {
    probe.keys[look.round].insert(ctx.key());
    if (look.round == look.most && !probe.is_endless)
        return PolledEvent{.rounds = look.round, .looks = ctx.get<Looks>().count};
    PollEvent next;
    next.round = look.round + 1;
    next.most = look.most;
    ctx.begin_again(next);
    if (probe.fails > 0 && probe.fails--) throw Error(Code::step_failed, "not yet");
    return {};
}
inline constexpr auto poller = workflow("poller", step<look>, step<decide>.retry({.attempts = 2, .wait = fixed(1s)}));

/// Each decision has one key, and no two rounds share one.
inline void check_keys(const Probe& probe, int rounds) {
    std::set<std::string> all;
    for (auto& decided : probe.keys) {
        CAPTURE(decided.first);
        CHECK(decided.second.size() == 1);
        all.insert(decided.second.begin(), decided.second.end());
    }
    CHECK(probe.keys.size() == std::size_t(rounds + 1));
    CHECK(all.size() == std::size_t(rounds + 1));
}
}
