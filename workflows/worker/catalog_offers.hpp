// The workflows of the catalogue as a worker has them.
//
//     worker.offer(catalog_offers(setup, {"react", "refund"}));    // without names: all that there are
//
// Model, database, tools, keys and files are the worker's own: the setup's, which outlives the runs. Of what a stored
// run keeps, which others may have written, only what is harmless counts: dialect, limits and budget, each at most what
// the worker's own options allow. A run that was begun with anything else of its own, such as a database or a tool that
// is denied, is refused by a sentence that names it: it would be another run here.
#pragma once
#include "workflows/catalog/kept_run.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/worker/worker.hpp"

namespace weft::worker {
/// Throws Error{usage} for a name that there is not.
std::vector<Offer> catalog_offers(catalog::Setup&, const std::vector<std::string>& names);
/// The worker's options with what is harmless of the run's. Throws Error{usage} for what a worker cannot give it.
catalog::AgentOptions options_for(const catalog::AgentOptions& of_worker, const catalog::KeptRun&);
}
