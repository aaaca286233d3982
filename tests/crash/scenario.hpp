// One run that is killed and goes on, killed and goes on, until it ends; and what is found in its store, its effects
// and its memory after each death.
#pragma once
#include "engine/store.hpp"
#include "tests/crash/asked_server.hpp"
#include "tests/crash/worker_process.hpp"
#include "tests/support/folder.hpp"
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace crash {
/// Where a worker dies: in what it does itself, or in a request to the model.
struct Place {
    std::string kill;  // WEFT_KILL
    std::size_t request = 0;
    AskedServer::Phase phase = AskedServer::Phase::before;
};
/// What a store has, read from a copy of its files.
struct Stored {
    bool is_there = false;
    weft::storage::RunRow row;
    std::vector<nlohmann::json> ticks;
    std::map<std::string, std::size_t> finished, events;  // by step, and by event
    std::vector<std::string> outputs;                     // of the tool, without repetition
    std::size_t chats = 0;                                // replies of the model that were recorded
};
Stored read_store(const std::string& folder);

/// What all runs of a workflow have in common.
struct Story {
    std::string workflow;
    std::size_t remembered = 0;  // exchanges in the memory's file, each once
    std::string result;          // of a run that nobody has killed
};
struct Findings {
    std::size_t killed = 0, resumed = 0, repeated = 0;
    std::vector<std::string> lost, doubled;
};
class Scenario {
public:
    explicit Scenario(const Story& story) : story_(story), server_(story.workflow) {}
    /// One worker after the other, the last one to its end.
    void play(const std::vector<Place>&, const std::string& how, Findings&);
    const Ended& last() const { return ended_; }
    std::size_t asked() const { return server_.asked(); }

private:
    struct Death {
        Stored stored;
        std::map<std::string, std::size_t> effects;  // so often until then, of those whose output is stored
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
