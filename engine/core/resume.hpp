// Resumes stored runs: a loop claims and loads a run, and restores its state.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weft {
struct RunOptions;
namespace storage {
struct History;
}
}
namespace weft::core {
/// Makes a run of the loop for the stored run of this id. Throws Error{usage} without a store or a durable definition.
CoreRef make_stored(LoopCore&, std::shared_ptr<const Definition>, const std::string& id, const RunOptions&);
/// Begins a run from make_stored(). With an epoch, `owner` has claimed the run; without, its loop claims it first.
void resume_stored(const CoreRef&, std::optional<std::uint64_t> epoch = {}, const std::string& owner = {});
void claim_run(RunCore&);
/// Loads the ticks after the last snapshot, and the earlier ones from number `from` on.
void load_run(RunCore&, std::uint64_t from = ~std::uint64_t{0});
/// Makes a run that waits for its time ready, so that it takes its cancellation.
void cancel_delayed(RunCore&);
void start_over(RunCore&);  // drops all changes that exist in memory only
/// Throws Error{journal} for unreadable records.
void restore(RunCore&, const storage::History&);
bool restore_child(RunCore&);  // false: the store has no tick of the child, so the caller starts it
}
