// A claim, a parking and a run that is given back take some seconds, during which a run is nowhere.
#include "tests/simulation/strays.hpp"

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr auto longest = 20s;  // a stray run for a shorter time may still be on its way
}
bool StrayRuns::is_stray(const RunRow& row, const std::vector<std::unique_ptr<Process>>& processes) const {
    for (const auto& each : processes)
        if (each && each->owner_of(row.id) == row.owner)
            return !each->is_leaving() && each->disturbed_until() < world_.now() && !each->has(row.id);
    return false;
}
void StrayRuns::check(const std::vector<std::unique_ptr<Process>>& processes) {
    std::map<std::string, Stray> found;
    store_.list({.statuses = {RunStatus::running}}, [&](const std::exception_ptr&, const std::vector<RunRow>& rows) {
        for (const auto& row : rows) {
            if (!is_stray(row, processes)) continue;
            const auto known = strays_.find(row.id);
            const bool is_old = known != strays_.end() && known->second.epoch == row.epoch;
            auto& stray = found[row.id] = is_old ? known->second : Stray{row.epoch, world_.now()};
            if (stray.is_known || world_.now() - stray.since < longest) continue;
            stray.is_known = true;
            ledger_.fault("the run " + row.id + " stays with " + row.owner + ", which does not have it in memory");
        }
    });
    strays_ = std::move(found);
}
}
