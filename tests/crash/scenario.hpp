// Kills and continues one run again and again until it ends, and checks its store, effects and memory after each
// death.
#pragma once
#include "engine/schedule/steps.hpp"
#include "engine/store.hpp"
#include "tests/crash/asked_server.hpp"
#include "tests/crash/worker_process.hpp"
#include "tests/support/folder.hpp"
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace crash {
/// The place of a worker's death: an operation of the worker, or a request to the model.
struct Place {
    std::string kill;  // WEFT_KILL
    std::size_t request = 0;
    AskedServer::Phase phase = AskedServer::Phase::before;
};
/// The content of a store, read from a copy of its files.
struct Stored {
    bool is_there = false;
    weft::storage::RunRow row;
    std::vector<nlohmann::json> ticks;
    std::map<std::string, std::size_t> finished, events;  // counts by step, and by event
    std::map<std::string, std::size_t> sleeps;            // counts of recorded ends by name
    std::map<std::string, std::size_t> mails;             // counts of ticks by the id of their mail
    std::vector<std::string> outputs;                     // the tool's outputs without duplicates
    std::size_t chats = 0;                                // recorded replies of the model
};
Stored read_store(const std::string& folder);
std::vector<weft::storage::RunRow> read_rows(const std::string& folder);  // from a copy, too
weft::schedule::ScheduleEvent read_schedule(const std::string& folder);   // the state of schedule A, from a copy

/// The properties of all runs of a workflow.
struct Story {
    std::string workflow;
    std::size_t remembered = 0;  // exchanges in the memory's file, each once
    bool begins_again = false;   // its journal lacks earlier rounds, and so the counts of their steps
    bool undoes = false;         // it is cancelled in its third booking, and undoes all three
    std::string result;          // the result of an unkilled run, or its error
    /// The beginning of the worker's line with the result.
    std::string word() const { return undoes ? "failed " : "result "; }
};
struct Findings {
    std::size_t killed = 0, resumed = 0, repeated = 0;
    std::vector<std::string> lost, doubled;
};
class Scenario {
public:
    explicit Scenario(const Story& story) : story_(story), server_(story.workflow) {}
    /// Runs one worker after another, the last one to its end.
    void play(const std::vector<Place>&, const std::string& how, Findings&);
    const Ended& last() const { return ended_; }
    std::size_t asked() const { return server_.asked(); }

private:
    struct Death {
        Stored stored;
        std::map<std::string, std::size_t> effects;  // counts so far, for stored outputs
    };
    void live(const Place*, const std::string& how);
    void compare_with_store(const Stored&, Findings&) const;
    void compare_with_deaths(const Stored&, Findings&) const;
    void check_memory(Findings&) const;
    std::map<std::string, std::size_t> effects(Findings&) const;
    const Story& story_;
    test::Folder folder_;
    AskedServer server_;
    Ended ended_;
    std::vector<Death> deaths_;
};
}
