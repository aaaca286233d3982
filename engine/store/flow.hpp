// Limits of queues: the key of a run, and the order in which limited queues give their runs. Pure.
// A run's key is stored with the run when it is created, and again when the limits change.
#pragma once
#include "engine/store.hpp"
#include <map>
#include <string_view>

namespace weft::storage {
/// Throws Error{usage} if the limits contradict themselves.
void check_limits(const QueueLimits&);
[[noreturn]] void too_many_limits();  // throws Error{usage}
/// The members of RunOptions::values that can be a key, as a JSON object of texts; empty if there are none.
std::string key_texts_of(const NewRun&);
/// The key of a run by its first tick: at most 200 bytes. Empty: none.
std::string key_of(std::string_view tick, const QueueLimits&);
std::string key_in(std::string_view key_texts, const QueueLimits&);  // the same by key_texts_of()

struct StartTokens {             // a queue with QueueLimits::starts begins a run for each
    double count = 0;            // at this time
    std::int64_t filled_at = 0;  // microseconds since 1970
};
struct LimitedQueue {
    QueueLimits limits;
    StartTokens tokens;
};
/// The tokens of a queue that has just been limited.
StartTokens full_tokens(const QueueLimits&, std::int64_t now);
/// As many as are there now.
StartTokens tokens_at(const QueueLimits&, StartTokens, std::int64_t now);

struct FlowState {  // a limited queue
    QueueLimits limits;
    double tokens = 0;  // StartTokens::count now
    std::uint64_t running = 0;
    std::map<std::string, std::uint64_t> running_by_key;
    std::uint64_t room() const;  // for further runs
    bool may_start() const { return !limits.starts || tokens >= 1; }
    std::uint64_t room_of(const std::string& key) const;  // for further runs with this key
};
using FlowStates = std::map<std::string, FlowState, std::less<>>;  // by the name of the queue
struct FlowCandidate {
    std::string queue, key;
    int priority = 0;
    bool is_start = false;  // the run has had no owner yet
};
/// Chooses candidates, which come in the order of claims without limits; returns their positions in the order of
/// claims. In each queue a run's turn comes by its priority, then by the number of runs with its key that run or come
/// before it. Queues share a claim as without limits: a queue has the places of its runs, whichever of them it gives.
std::vector<std::size_t> choose_in_turn(const std::vector<FlowCandidate>&, const FlowStates&, std::size_t most);
/// `ready` counts the ready runs by key; `starts` those of them that have had no owner yet.
QueueFlow flow_of(const FlowState&, const std::map<std::string, std::uint64_t>& ready, std::uint64_t starts);
}
