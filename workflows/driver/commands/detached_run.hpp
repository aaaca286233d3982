// `weft run` with --detach, --at, --in or --batch: puts runs into a store, for a worker, and prints their ids.
#pragma once
#include "workflows/catalog/catalog.hpp"
#include "workflows/driver/options.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::driver {
/// Requires input without unknown fields. Throws Error{usage} for an option that only the worker may choose.
ExitCode detach_run(const Choices&, const catalog::CatalogEntry&, const nlohmann::json& input);
/// The same for each line of --batch. Checks all lines first, and names a bad one.
ExitCode detach_batch(const Choices&, const catalog::CatalogEntry&);
/// Throws Error{usage} for --queue, --priority or --key. Call it if the run is not detached.
void refuse_queue_options(const Choices&);
}
