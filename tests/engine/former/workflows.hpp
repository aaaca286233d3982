// The workflows of the runs in v1.jsonl. Do not change them, because their runs are stored: add another workflow and
// another file.
#pragma once
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/timeout.hpp"
#include <algorithm>

namespace former {
using namespace weft;
using namespace std::chrono_literals;

struct GoEvent : StartEvent {
    int rounds = 3;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (rounds))
struct AskEvent : InputRequiredEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(AskEvent, (), (text))
struct TellEvent : Answers<AskEvent> {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TellEvent, (), (text))
struct EndEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (text))
struct Names : Growing<std::string> {};
struct Total {
    int sum = 0;
    double share = 0.5;
};
BOOST_DESCRIBE_STRUCT(Total, (), (sum, share))

inline AskEvent make_question(std::string text) {
    AskEvent ask;
    ask.text = std::move(text);
    return ask;
}
inline EndEvent make_end(std::string text) {
    EndEvent end;
    end.text = std::move(text);
    return end;
}

// --- a question; also the child's workflow, and that of the cancelled or timed out runs ---
inline AskEvent inquire(Context& ctx, GoEvent go) {
    ctx.edit<Names>([](auto& names) { names.push_back("Zoë \"the first\""); });
    ctx.edit<Total>([&](auto& total) { total.sum = go.rounds; });
    return make_question("how many, out of " + std::to_string(go.rounds) + "?");
}
inline EndEvent conclude(Context& ctx, TellEvent tell) {
    ctx.edit<Names>([&](auto& names) { names.push_back(tell.text); });
    return make_end(tell.text + ", " + std::to_string(ctx.get<Names>().size()) + " names");
}
inline constexpr auto asking = workflow("asking", step<inquire>, step<conclude>);

// --- an asking child run ---
inline awaitable<EndEvent> delegate(Context& ctx, GoEvent go) {
    auto child = durable<Names, Total>(asking);
    auto end = co_await ctx.run(std::move(child), std::move(go));
    co_return make_end("the child says: " + end.text);
}
inline constexpr auto delegating = workflow("delegating", step<delegate>);

// --- a fan-out, a collector, and then a join of two branches; the first step is repeatable ---
struct LeafEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(LeafEvent, (), (number))
struct FoundEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(FoundEvent, (), (text))
struct PickedEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(PickedEvent, (), (text))
struct WestEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(WestEvent, (), (text))
struct EastEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EastEvent, (), (text))
inline std::vector<LeafEvent> spread(Context&, GoEvent go) {
    std::vector<LeafEvent> all(std::size_t(go.rounds));
    for (int i = 0; i < go.rounds; ++i) all[std::size_t(i)].number = i;
    return all;
}
inline awaitable<FoundEvent> search(Context& ctx, LeafEvent leaf) {
    co_await sleep_for(1h * leaf.number);
    ctx.edit<Names>([&](auto& names) { names.push_back("leaf " + std::to_string(leaf.number)); });
    FoundEvent found;
    found.text = "found " + std::to_string(leaf.number);
    co_return found;
}
inline PickedEvent pick(Context&, std::vector<FoundEvent> all) {
    PickedEvent picked;
    for (auto& found : all) picked.text += found.text + "; ";
    return picked;
}
inline WestEvent go_west(Context&, PickedEvent picked) { return {"west of " + picked.text}; }
inline awaitable<EastEvent> go_east(Context&, PickedEvent picked) {
    co_await sleep_for(1h);
    EastEvent east;
    east.text = "east of " + picked.text;
    co_return east;
}
inline EndEvent meet(Context& ctx, WestEvent west, EastEvent east) {
    return make_end(west.text + east.text + std::to_string(ctx.get<Names>().size()));
}
inline constexpr auto spreading = workflow("spreading", step<spread>.repeatable(), step<search>, step<pick>,
                                           step<go_west>, step<go_east>, step<meet>);

// --- recorded work: results, failures, effects, parts of other work ---
struct Work {
    int calls = 0;  // since the program began
};
inline awaitable<std::string> look_up(Work& work, std::string word) {
    ++work.calls;
    co_return word + "!";
}
inline awaitable<std::string> fail_to_look_up(Work& work) {
    ++work.calls;
    throw Error(Code::configuration, "the source is \"away\"");
    co_return std::string();
}
inline awaitable<std::string> look_up_twice(Context& ctx, Work& work) {
    auto part = look_up(work, "part");
    auto text = co_await ctx.once("part", std::move(part));
    co_return "whole of " + text;
}
inline awaitable<EndEvent> record(Context& ctx, GoEvent, Work& work) {
    auto first = look_up(work, "first");
    auto text = co_await ctx.once("first", std::move(first));
    std::string why;
    try {
        auto failing = fail_to_look_up(work);
        text += co_await ctx.once("failing", std::move(failing));
    } catch (const Error& error) { why = error.what(); }
    auto whole = look_up_twice(ctx, work);
    text += co_await ctx.once("whole", std::move(whole));
    auto effect = look_up(work, "effect");
    const auto receipt = co_await ctx.at_most_once("pay", std::move(effect));
    co_await sleep_for(24h);
    co_return make_end(text + receipt.value_or("unknown") + why);
}
inline constexpr auto recording = workflow("recording", step<record>);

// --- attempts with a delay between them ---
inline awaitable<EndEvent> attempt(Context& ctx, GoEvent go) {
    co_await sleep_for(1min);
    if (int(ctx.attempt()) < go.rounds) throw Error(Code::step_failed, "not yet");
    co_return make_end("attempt " + std::to_string(ctx.attempt()));
}
inline constexpr auto trying = workflow("trying",
                                        step<attempt>.retry({.attempts = 3, .elapsed = 100h, .wait = fixed(1h)}));

// --- many ticks before a question ---
struct RoundEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(RoundEvent, (), (left))
inline RoundEvent begin_rounds(Context&, GoEvent go) { return {go.rounds}; }
inline std::variant<RoundEvent, AskEvent> count(Context& ctx, RoundEvent round) {
    ctx.edit<Total>([](auto& total) { ++total.sum; });
    if (round.left > 1) return RoundEvent{round.left - 1};
    return make_question("enough?");
}
inline EndEvent finish_counting(Context& ctx, TellEvent tell) {
    return make_end(tell.text + " after " + std::to_string(ctx.get<Total>().sum));
}
inline constexpr auto counting = workflow("counting", step<begin_rounds>, step<count>, step<finish_counting>);
}
