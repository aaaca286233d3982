// Tools of `weft mcp --store`: they put runs into a store, for a worker, and show or cancel them.
#pragma once
#include "engine/pool.hpp"
#include "engine/run_options.hpp"
#include "engine/store.hpp"
#include "tools/registry.hpp"
#include <functional>

namespace weft::driver {
/// The store and the pool outlive the calls of the tools.
struct StoredRunsOffer {
    Store& store;
    std::function<bool(const std::string& run)> has_engine;  // whether an engine uses the run's database now
    Pool& pool;
    std::vector<std::string> workflows;  // clients see only runs of these
    RunOptions options;                  // of each started run
};
/// start_run, show_run and cancel_run.
tools::Registry run_tools(StoredRunsOffer);
}
