// The workflow of a stored run, and the options that it was started with.
#pragma once
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/kept_run.hpp"

namespace weft::driver {
/// Throws Error{usage} for a workflow that this program does not have.
const catalog::Entry& entry_of(const storage::RunRow&);
/// The options, with the command that started the run, which decides the form of its result. Throws Error{journal} for
/// unusable options.
catalog::KeptRun checked_run(const storage::RunRow&, const catalog::Entry&);
}
