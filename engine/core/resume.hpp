// Runs that the store has already: a loop claims and loads them, and puts their state back.
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
/// A run of the loop for the stored one with this id. Throws Error{usage} without a store or a durable definition.
CoreRef make_stored(LoopCore&, std::shared_ptr<const Definition>, const std::string& id, const RunOptions&);
/// Begins a run of make_stored(). With an epoch this owner has claimed the run, else its loop claims it first.
void resume_stored(const CoreRef&, std::optional<std::uint64_t> epoch = {}, const std::string& owner = {});
void claim_run(RunCore&);
/// `from`: the first tick that is needed beside those behind the last snapshot.
void load_run(RunCore&, std::uint64_t from = ~std::uint64_t{0});
void start_over(RunCore&);  // drops all that happened in memory only
/// Throws Error{journal} for records that cannot be read.
void restore(RunCore&, const storage::History&);
bool restore_child(RunCore&);  // false: the store has no tick of the child, so the child begins
}
