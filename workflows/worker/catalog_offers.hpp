// Offers of a worker for the workflows of the catalogue.
//
//     worker.offer(catalog_offers(process, {"react", "refund"}));    // without names: all
//
// Model, database, tools, keys and files are those of the process, which outlive the runs. Stored runs are untrusted:
// only their dialect, temperature, limits and budget count, and no limit exceeds the worker's. The worker refuses a run
// with any other option, such as a database or a denied tool, because it would behave differently without the option;
// the message names it.
#pragma once
#include "workflows/catalog/run_resources.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/worker/worker.hpp"

namespace weft::worker {
/// Offers of these workflows, without names of all, and always of schedules. Throws Error{usage} for an unknown name.
std::vector<WorkflowOffer> catalog_offers(const catalog::ProcessResources&, const std::vector<std::string>& names);
/// The worker's options, with the run's values for OnWorker::chosen and lower. Throws Error{usage} if the run needs
/// another option.
catalog::AgentOptions options_for(const catalog::AgentOptions& of_worker, const catalog::StoredRunOptions&);
}
