// Reports of the steps of random workflows, and the oracles that judge these reports while the history goes on.
#pragma once
#include "engine/core/lease.hpp"
#include "engine/core/loop/run_core.hpp"
#include "engine/store/rules.hpp"
#include "tests/simulation/cargo.hpp"
#include "tests/simulation/graph.hpp"
#include <map>
#include <set>
#include <tuple>

namespace simulation {
/// The counts of a history.
struct Statistics {
    std::uint64_t events = 0, runs = 0, steps = 0, effects = 0, crashes = 0, pauses = 0, cuts = 0, leaves = 0,
                  takeovers = 0, compared = 0, firings = 0, limited = 0, told = 0;
};
/// Everything that the oracles know about a history. It outlives all processes.
class Ledger {
public:
    Ledger(World& world, Store& store) : world_(world), store_(store) {}
    struct RunFacts {
        std::shared_ptr<const Graph> graph;
        std::uint64_t value = 0;        // of its start event
        bool is_acknowledged = false;   // its caller knows that it is stored
        bool is_cancelled = false;      // somebody has asked for it
        std::string tenant;             // the key of its queue
        std::int64_t not_before = 0;    // microseconds since 1970: no step begins before
        std::set<std::string> signals;  // ids of the mails with signals
    };
    std::map<std::string, RunFacts> runs;
    std::set<std::pair<std::string, std::string>> accepted;  // run and id of mail that the store has taken
    storage::QueueLimits limits;                             // of the queue that has limits, from the begin to the end
    std::vector<std::string> faults;                         // what the oracles have found, a sentence each
    Statistics counts;

    void fault(std::string sentence);
    /// A step begins. Its events prove that the steps that made them have finished.
    void begins(const std::string& owner, const std::string& run, const std::string& key,
                const std::vector<Cargo>& inputs);
    struct Effect {
        std::string key, name;  // of its step, and its own
        unsigned attempt = 1;   // of the step: a further attempt may do the work of once() again
        bool at_most_once = false;
    };
    void effect_runs(const std::string& owner, const std::string& run, const Effect&);
    void requests(const std::string& owner, const std::string& run, const std::string& key);  // as of a model
    void effect_recorded(const Effect& e) { recorded_.emplace(e.key, e.name, e.attempt); }
    void sleeps(const std::string& key, const std::string& name, Duration);
    void wakes(const std::string& key, const std::string& name);
    void takes_signal(const std::string& run, std::uint64_t number, const std::string& key);
    bool has_finished(const std::string& key) const { return finished_.contains(key); }  // a step
    void check_mail();                            // no run is parked with unread mail
    void check_signals();                         // each run at rest has taken all its signals
    bool is_busy(const std::string& run);         // it neither has ended nor only waits for mail
    storage::RunRow row(const std::string& run);  // empty id: the store does not have it

private:
    void check_owner(const std::string& owner, const std::string& run, const std::string& what);
    void check_time(const std::string& run);
    void check_limits();
    World& world_;
    Store& store_;
    std::map<std::string, std::set<std::string>> owners_;  // by root run: processes that have executed its steps
    std::set<std::string> finished_;                       // keys of steps whose events have been taken
    std::set<std::tuple<std::string, std::string, unsigned>> recorded_;  // key, name and attempt of recorded effects
    std::map<std::string, unsigned> begun_;       // number of times that work of at_most_once has begun
    std::map<std::string, Clock::Time> wakes_;    // by key and name: the earliest end of a sleep
    std::map<std::string, std::string> signals_;  // by run and number: the key of the step that has taken it
};
class ServedLogs;
/// The place where steps act: a process of a history, or a world without faults.
class Site {
public:
    Site(World& w, Ledger* l) : world(w), ledger(l) {}
    World& world;
    Ledger* ledger;                                            // null: nothing is reported
    std::function<std::string(const std::string& run)> owner;  // the name under which the process owns the run
    ServedLogs* logs = nullptr;                                // of the process; null: its runs have none
    std::map<const Graph*, std::shared_ptr<const core::Definition>> definitions;
    const std::shared_ptr<const core::Definition>& definition(const Graph&);
};
/// Begins a run that a loop has made, with this value.
void begin(const core::CoreRef&, std::uint64_t value);
}
