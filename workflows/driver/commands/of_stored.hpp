// What a stored run is of: its workflow, and the options that it was started with.
#pragma once
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/kept_run.hpp"

namespace weft::driver {
/// Throws Error{usage} for a workflow that this program does not have.
const catalog::Entry& entry_of(const storage::RunRow&);
/// With the command that began the run, which decides how its result is shown. Throws Error{journal} for options that
/// cannot be used.
catalog::KeptRun checked_run(const storage::RunRow&, const catalog::Entry&);
}
