// The table of the statuses, in the order of the enum.
#include "engine/run_status.hpp"
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/list.hpp>
#include <cstddef>
#include <iterator>

namespace weft {
namespace {
constexpr RunStatusRow rows[] = {
    {RunStatus::ready, "ready", "none", "running", 0},
    {RunStatus::running, "running", "none", "running", 0},
    {RunStatus::waiting, "waiting", "none", "running", 10},
    {RunStatus::done, "done", "stopped", "completed", 0},
    {RunStatus::failed, "failed", "failed", "failed", 5},
    {RunStatus::timed_out, "timed_out", "timed_out", "failed", 7},
    {RunStatus::cancelled, "cancelled", "cancelled", "cancelled", 8},
};
static_assert(std::size(rows) == boost::mp11::mp_size<boost::describe::describe_enumerators<RunStatus>>::value,
              "a status has no row here: add one");
}
const RunStatusRow& row_of(RunStatus status) noexcept { return rows[static_cast<std::size_t>(status)]; }
std::optional<RunStatus> status_named(std::string_view name) noexcept {
    for (const auto& row : rows)
        if (row.name == name) return row.status;
    return std::nullopt;
}
std::vector<RunStatus> ended_statuses() {
    std::vector<RunStatus> ended;
    for (const auto& row : rows)
        if (has_ended(row.status)) ended.push_back(row.status);
    return ended;
}
}
