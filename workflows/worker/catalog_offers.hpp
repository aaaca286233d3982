// Offers of a worker for the workflows of the catalogue.
//
//     worker.offer(catalog_offers(process, {"react", "refund"}));    // without names: all that there are
//
// Model, database, tools, keys and files are those of the process, which outlive the runs. A stored run may have been
// written by others, so only its own choices count: dialect, temperature, limits and budget, and no limit can be
// higher than one that the worker was given. A run that was started with any other option of its own, such as a
// database or a tool that is denied, is refused, and the message names the option: without it the run would do
// something else.
#pragma once
#include "workflows/catalog/kept_run.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/worker/worker.hpp"

namespace weft::worker {
/// No names: all workflows. Throws Error{usage} for an unknown name.
std::vector<Offer> catalog_offers(const catalog::ProcessResources&, const std::vector<std::string>& names);
/// The worker's options with those that the run may choose (OnWorker::chosen and lower). Throws Error{usage} if the run
/// needs any other one.
catalog::AgentOptions options_for(const catalog::AgentOptions& of_worker, const catalog::KeptRun&);
}
