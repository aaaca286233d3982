// A claim, a parking and a run that is given back take some seconds, during which a run is nowhere.
#include "tests/simulation/strays.hpp"

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr auto longest = 20s;      // a stray run for a shorter time may still be on its way
constexpr auto longest_wait = 4s;  // for a sure lease
}
std::optional<StrayRuns::Stray> StrayRuns::find(const RunRow& row,
                                                const std::vector<std::unique_ptr<Process>>& processes) const {
    for (const auto& each : processes) {
        if (!each || each->owner_of(row.id) != row.owner) continue;
        if (each->is_leaving() || each->disturbed_until() >= world_.now()) return {};
        const auto done = each->waits_for_sure_lease(row.id);
        if (each->has(row.id) && !done) return {};
        return Stray{row.epoch, done, world_.now()};
    }
    return {};
}
void StrayRuns::check(const std::vector<std::unique_ptr<Process>>& processes) {
    std::map<std::string, Stray> found;
    store_.list({.statuses = {RunStatus::running}}, [&](const std::exception_ptr&, const std::vector<RunRow>& rows) {
        for (const auto& row : rows) {
            const auto now = find(row, processes);
            if (!now) continue;
            const auto known = strays_.find(row.id);
            const bool is_old = known != strays_.end() && known->second.epoch == now->epoch &&
                                known->second.done == now->done;
            auto& stray = found[row.id] = is_old ? known->second : *now;
            if (stray.is_known || world_.now() - stray.since < (stray.done ? longest_wait : longest)) continue;
            stray.is_known = true;
            ledger_.fault("the run " + row.id +
                          (stray.done ? " waits for the lease of " + row.owner + ", which is sure"
                                      : " stays with " + row.owner + ", which does not have it in memory"));
        }
    });
    strays_ = std::move(found);
}
}
