// The status of a run and its names: one row for each status, in engine/impl/run_status.cpp.
#pragma once
#include "engine/describe.hpp"
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weft {
/// ready: any engine may claim the run from the store. waiting: for mail or a time. The last four are the ended ones;
/// done: by a stop event. Stores compare statuses by this order.
enum class RunStatus : std::uint8_t { ready, running, waiting, done, failed, timed_out, cancelled };
BOOST_DESCRIBE_ENUM(RunStatus, ready, running, waiting, done, failed, timed_out, cancelled)
inline bool has_ended(RunStatus s) { return s >= RunStatus::done; }
inline bool has_failed(RunStatus s) { return s == RunStatus::failed || s == RunStatus::timed_out; }

struct RunStatusRow {
    RunStatus status;
    std::string_view name;         // name in stores and listings
    std::string_view metric_word;  // word in logs, metrics and traces; "none" before the end
    std::string_view http_word;    // for clients of a server: one of four
    int exit_code;                 // exit code of a program that ends with this status
};
const RunStatusRow& row_of(RunStatus) noexcept;
std::optional<RunStatus> status_named(std::string_view) noexcept;
std::vector<RunStatus> ended_statuses();
inline std::string_view name(RunStatus s) noexcept { return row_of(s).name; }
inline std::string_view metric_word(RunStatus s) noexcept { return row_of(s).metric_word; }
}
