// A workflow's graph as sets of steps, known to the compiler: what can run, what can end, what a fan-out is collected
// by.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::detail {
using StepSet = std::uint64_t;  // one bit each

template <std::size_t Steps, std::size_t Fans> struct Topology {
    static_assert(Steps <= 64, "a workflow has at most 64 steps: make a part of it a workflow of its own");
    std::array<StepSet, Steps> plain{};      // who accepts what a step emits in its own place, answers to it included
    std::array<StepSet, Fans + 1> spread{};  // who accepts the branches of a fan-out
    std::array<std::size_t, Steps + 1> first_fan{};  // a step's fan-outs: [first_fan[s], first_fan[s + 1])
    StepSet collects = 0;                            // accepts vector<E>
    StepSet sources = 0;                             // accepts what comes from outside
    StepSet sinks = 0;                               // emits a stop event, asks a question, or emits nothing

    static constexpr bool has(StepSet set, std::size_t s) { return set >> s & 1; }
    constexpr StepSet next(std::size_t s) const {
        StepSet all = plain[s];
        for (auto f = first_fan[s]; f < first_fan[s + 1]; ++f) all |= spread[f];
        return all;
    }
    /// The steps that can run and can lead to an end.
    constexpr StepSet on_path() const {
        StepSet runs = sources, done = 0;
        while (runs != done) {
            const auto s = lowest(runs & ~done);
            done |= StepSet{1} << s;
            runs |= next(s);
        }
        StepSet ends = sinks;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t s = 0; s < Steps; ++s)
                if (!has(ends, s) && (next(s) & ends)) ends |= StepSet{1} << s, changed = true;
        }
        return runs & ends;
    }
    /// For each fan-out the collectors that it may end in. A fan-out within ends in its own collectors; those run in
    /// the outer one, so what they emit, and the collectors of what they fan out to, belong to the outer one again.
    constexpr std::array<StepSet, Fans + 1> collectors() const {
        std::array<StepSet, Fans + 1> found{};
        for (bool changed = Fans > 0; changed;) {
            changed = false;
            for (std::size_t f = 0; f < Fans; ++f) {
                const StepSet all = collectors_of(f, found);
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
    constexpr StepSet collectors_of(std::size_t fan, const std::array<StepSet, Fans + 1>& found) const {
        StepSet result = 0, inside = 0, done = 0;  // inside: steps that run in a place of this fan-out
        const auto reach = [&](StepSet steps) {
            result |= steps & collects;
            inside |= steps & ~collects;
        };
        reach(spread[fan]);
        while (inside != done) {
            const auto s = lowest(inside & ~done);
            done |= StepSet{1} << s;
            reach(plain[s]);
            for (auto f = first_fan[s]; f < first_fan[s + 1]; ++f) inside |= found[f];
        }
        return result;
    }
};
}
