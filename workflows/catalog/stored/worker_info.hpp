// A worker's description of itself for `weft queue`: JSON in its row of the store, renewed with each heartbeat.
//
//     const auto info = read_worker_info(row.info);       // empty if it cannot be read
#pragma once
#include "engine/describe.hpp"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::catalog {
/// A run that a worker has claimed but cannot execute.
struct RefusedRun {
    std::string run, workflow, why;
};
BOOST_DESCRIBE_STRUCT(RefusedRun, (), (run, workflow, why))
struct WorkerInfo {
    std::string process;  // "host:pid"
    std::uint32_t slots = 0, used = 0;
    std::vector<std::string> queues;               // empty: all
    std::map<std::string, std::string> workflows;  // the hash of each known declaration, by name
    std::vector<RefusedRun> refused;               // maximum 20, the latest first
};
BOOST_DESCRIBE_STRUCT(WorkerInfo, (), (process, slots, used, queues, workflows, refused))

/// True if the worker takes runs of this queue.
bool takes_queue(const WorkerInfo&, const std::string& queue);
std::string write_worker_info(const WorkerInfo&);
std::optional<WorkerInfo> read_worker_info(const std::string& text);
}
