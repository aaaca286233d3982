// The workflow of a stored run, and the options that it was started with.
#pragma once
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/stored_run_options.hpp"

namespace weft::driver {
/// Throws Error{usage} for a workflow that this program does not have.
const catalog::CatalogEntry& entry_of(const storage::RunRow&);
/// The options, with the command that started the run, which decides the form of its result. Throws Error{journal} for
/// unusable options.
catalog::StoredRunOptions checked_run(const storage::RunRow&, const catalog::CatalogEntry&);
}
