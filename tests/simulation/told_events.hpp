// The events that runs stream to clients, and the oracles that judge them: a client gets each number once and in order,
// all clients get the same event for a number, and the events of a finished step are in the log.
#pragma once
#include "tests/simulation/site.hpp"

namespace simulation {
/// A client that reads the events of a run, by one server after the other.
struct EventClient {
    std::string run;
    std::int64_t after = -1;  // number of the last event that it has
    bool has_end = false;     // it has the last event of the run
    std::string server;       // the process that serves it; empty: none
};
class ToldEvents {
public:
    ToldEvents(World& world, Ledger& ledger, Store& store) : world_(world), ledger_(ledger), store_(store) {}
    /// A step begins at this owner, whose name begins with its process's. Returns the number of this execution.
    std::uint64_t begins(const std::string& owner, const std::string& run, const std::string& key);
    /// Returns the number of a new event of this execution.
    std::uint64_t streams(std::uint64_t execution);
    void completes(std::uint64_t execution);
    /// The log of the run gets an event. It may come after the end of its step: events follow the question before them,
    /// which has to be stored first.
    void enters_log(const std::string& text) { entered_.emplace(text, world_.now()); }
    /// Calls of this process may fail; empty: of all processes.
    void has_outage(const std::string& owner, Duration);
    void has_pause(const std::string& owner, Duration);
    /// A process no longer has the log of this run; empty: of any run.
    void drops_log(const std::string& owner, const std::string& run) { drops_.push_back({owner, run, world_.now()}); }
    void gets(EventClient&, std::int64_t number, const std::string& text);
    storage::RunRow row(const std::string& run) const { return ledger_.row(run); }
    void judge();

private:
    struct Execution {
        std::string owner, run, key;
        Clock::Time begun{}, ended{};
        std::vector<std::string> events;  // their texts
        bool is_complete = false;
    };
    struct Outage {
        std::string owner;
        Clock::Time begun{}, ended{};
    };
    struct DroppedLog {
        std::string owner, run;
        Clock::Time at{};
    };
    bool is_excused(const Execution&) const;
    Clock::Time end_of_troubles(const std::string& owner, Clock::Time from) const;
    bool has_dropped(const Execution&, Clock::Time before) const;
    void judge_log(const std::string& run, const std::vector<storage::LogEntry>&);
    World& world_;
    Ledger& ledger_;
    Store& store_;
    std::vector<Execution> executions_;
    std::vector<Outage> outages_, pauses_;
    std::vector<DroppedLog> drops_;
    std::map<std::string, Clock::Time> entered_;                      // by text
    std::map<std::string, std::map<std::int64_t, std::string>> got_;  // by run and number: the event that clients got
    std::uint64_t events_ = 0;
};
}
