// A workflow's graph as sets of steps at compile time: which steps can run, can end, and belong to a fan-out.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::core {
using StepSet = std::uint64_t;  // one bit per step

/// The steps that a fan-out leads to before a collector.
struct FanOutReach {
    StepSet collectors = 0;  // may end the fan-out
    StepSet inside = 0;      // run within its branches
    bool operator==(const FanOutReach&) const = default;
};
/// A precondition of a step: its only part, or one part of a join.
struct Part {
    StepSet from = 0;      // the steps that emit the event, or ask the question that it answers
    bool outside = false;  // callers may send the event
};

template <std::size_t Steps, std::size_t Fans, std::size_t Parts> struct Topology {
    static_assert(Steps <= 64, "a workflow has at most 64 steps: make a part of it a workflow of its own");
    std::array<StepSet, Steps> after_single{};       // steps that accept its single events, or answers to them
    std::array<StepSet, Fans + 1> after_branch{};    // steps that accept the branches of a fan-out
    std::array<std::size_t, Steps + 1> first_fan{};  // a step's fan-outs: [first_fan[s], first_fan[s + 1])
    std::array<Part, Parts + 1> parts{};
    std::array<std::size_t, Steps + 1> first_part{};  // a step's parts: [first_part[s], first_part[s + 1])
    StepSet collects = 0;                             // steps that accept vector<E>
    StepSet joins = 0;                                // steps that accept several events
    StepSet sinks = 0;                                // steps that emit a stop event, ask a question, or emit nothing

    static constexpr bool has(StepSet set, std::size_t s) { return set >> s & 1; }
    constexpr StepSet next(std::size_t s) const {
        StepSet all = after_single[s];
        for (auto f = first_fan[s]; f < first_fan[s + 1]; ++f) all |= after_branch[f];
        return all;
    }
    /// The steps that can run and can lead to an end.
    constexpr StepSet on_path() const {
        StepSet runs = 0, ends = sinks;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = 0; s < Steps; ++s)
                if (!has(runs, s) && all_parts_come(s, runs)) runs |= StepSet{1} << s, changed = true;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = 0; s < Steps; ++s)
                if (!has(ends, s) && (next(s) & ends)) ends |= StepSet{1} << s, changed = true;
        }
        return runs & ends;
    }
    /// The reach of each fan-out. An inner fan-out ends in its own collectors; these run in the outer one, so their
    /// events and fan-outs belong to the outer one again.
    constexpr std::array<FanOutReach, Fans + 1> reaches() const {
        std::array<FanOutReach, Fans + 1> found{};
        for (bool changed = Fans > 0; changed;) {
            changed = false;
            for (std::size_t f = 0; f < Fans; ++f) {
                const FanOutReach all = reach_of(f, found);
                changed |= all != found[f];
                found[f] = all;
            }
        }
        return found;
    }

private:
    static constexpr std::size_t lowest(StepSet set) {
        std::size_t s = 0;
        while (!has(set, s)) ++s;
        return s;
    }
    constexpr bool all_parts_come(std::size_t s, StepSet runs) const {
        for (auto p = first_part[s]; p < first_part[s + 1]; ++p)
            if (!parts[p].outside && !(parts[p].from & runs)) return false;
        return true;
    }
    constexpr FanOutReach reach_of(std::size_t fan, const std::array<FanOutReach, Fans + 1>& found) const {
        FanOutReach result;
        StepSet done = 0;
        const auto reach = [&](StepSet steps) {
            result.collectors |= steps & collects;
            result.inside |= steps & ~collects;
        };
        reach(after_branch[fan]);
        while (result.inside != done) {
            const auto s = lowest(result.inside & ~done);
            done |= StepSet{1} << s;
            reach(after_single[s]);
            for (auto f = first_fan[s]; f < first_fan[s + 1]; ++f) result.inside |= found[f].collectors;
        }
        return result;
    }
};
}
