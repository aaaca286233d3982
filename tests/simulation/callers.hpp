// People and programs outside of all processes: they answer questions, send signals and cancel runs, by a connection of
// their own. They repeat a call that gets no answer.
#pragma once
#include "tests/simulation/databases.hpp"
#include "tests/simulation/site.hpp"
#include <nlohmann/json_fwd.hpp>

namespace simulation {
class Callers {
public:
    Callers(World&, Ledger&, Databases&);
    Machine& machine() { return machine_; }
    Link& link() { return link_; }
    /// Answer each question that may be open. Superfluous answers are refused.
    void answer_all();
    void answer(const std::string& run);
    /// Sends the same signal so many times. Returns its number; empty: the run takes none.
    std::optional<std::uint64_t> signal(const std::string& run, std::uint64_t times);
    void cancel(const std::string& run);

private:
    void send(const std::string& run, const std::string& id, const nlohmann::json& body);
    void send(const std::string& run, std::uint64_t mail, const EventSpec&, std::uint64_t value);
    World& world_;
    Ledger& ledger_;
    Machine machine_;
    Link link_;
    std::uint64_t mails_ = 0;
};
}
