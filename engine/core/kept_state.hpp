// The content of a snapshot: the tables of these structs define its JSON. Indexes of steps and types refer to one plan,
// which the snapshot names by its hash.
#pragma once
#include "engine/core/run_log.hpp"
#include "engine/describe.hpp"
#include "engine/json/text.hpp"
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::core {
template <class T, std::uint32_t inside> std::vector<T> used_of(const Records<T, inside>& records) {
    std::vector<T> all;
    for (Handle h : records.used()) all.push_back(records[h]);
    return all;
}

BOOST_DESCRIBE_STRUCT(Place, (), (group, index))
BOOST_DESCRIBE_STRUCT(Lane, (), (free, first, last))
BOOST_DESCRIBE_STRUCT(Group, (), (place, open, first, last, partials, sorted, enough, recoveries, collectors))
BOOST_DESCRIBE_STRUCT(Partial, (), (step, part, count, first, last, next))
BOOST_DESCRIBE_STRUCT(Meeting::Member, (), (before, after))
BOOST_DESCRIBE_STRUCT(StoredDelay, (), (due, first, wait))

/// A token and its data. Members with their defaults, the usual case, are omitted.
struct KeptToken {
    Handle cell = none, items = none, next = none;  // the cell is an event's number in the snapshot
    Place place;
    std::uint16_t step = 0;
    std::uint8_t phase = 0, attempts = 0, recoveries = 0;
    bool dropped = false;
    Handle asks = none;      // for a question: its event
    std::uint64_t born = 0;  // for an invocation: its tick
    std::optional<StoredDelay> delay;
    static constexpr std::array<std::string_view, 11> optional_fields = {
        "cell", "items", "next", "place", "step", "phase", "attempts", "recoveries", "dropped", "asks", "born"};
};
BOOST_DESCRIBE_STRUCT(KeptToken, (),
                      (cell, items, next, place, step, phase, attempts, recoveries, dropped, asks, born, delay))
struct KeptMeeting {
    std::vector<Partial> partials;
    std::vector<Handle> free_partials;
    Handle first_partial = none;
    std::vector<Meeting::Member> tokens, groups;
    std::vector<Handle> tokens_of, within;
};
BOOST_DESCRIBE_STRUCT(KeptMeeting, (), (partials, free_partials, first_partial, tokens, groups, tokens_of, within))
/// The ending of a run with an undo step, and its reason.
struct KeptEnding {
    std::uint8_t phase = 0, status = 0;
    StepIndex culprit = 0;
    std::string error, code;  // empty for a cancelled or timed-out run
    unsigned attempts = 0;
    std::vector<std::string> active_steps;
    std::uint8_t prolongations = 0;
};
BOOST_DESCRIBE_STRUCT(KeptEnding, (), (phase, status, culprit, error, code, attempts, active_steps, prolongations))
/// Records in use are in the order of their handles; free handles are in the order of their reuse.
struct KeptState {
    std::vector<KeptToken> tokens;
    std::vector<Handle> free_tokens;
    std::vector<Lane> lanes;
    std::vector<Group> groups;
    std::vector<Handle> free_groups;
    std::optional<KeptMeeting> meeting;
    std::uint32_t live = 0, asked = 0;
    std::optional<std::int64_t> deadline;
    double timeout = 0;
    JsonText values = {};                // RunOptions::values
    std::optional<std::uint64_t> first;  // number of the first tick, if the run has begun again
    std::optional<KeptEnding> ending;    // only in an ending
    static constexpr std::array<std::string_view, 3> optional_fields = {"values", "first", "ending"};
};
BOOST_DESCRIBE_STRUCT(KeptState, (),
                      (tokens, free_tokens, lanes, groups, free_groups, meeting, live, asked, deadline, timeout, values,
                       first, ending))
}
