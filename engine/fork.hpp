// Starts a new run with the first ticks of another run, to try another answer, model or slot value from that tick on.
// The other run does not change.
//
//     const auto id = fork(store, "refund:A-17", 3, {.slots = {{"claim", R"({"text": "1.00 for order 7"})"}}});
//     auto run = engine.resume(stored, id);
//
// With the workflow, fork(store, stored, ...) immediately refuses slots that do not fit; without it, the resumption of
// the new run does.
#pragma once
#include "engine/core/machine/definition.hpp"
#include "engine/store.hpp"
#include "engine/workflow.hpp"
#include <map>

namespace weft {
/// The differences between the new run and the copied one.
struct ForkOptions {
    std::string id = {};  // the new run's; empty: random
    // JSON for slots by name in snake_case; replaces the value at the fork
    std::map<std::string, std::string> slots = {};
};
/// The new run has the ticks up to and including `at`, and no timeout. Returns its id; resume it by Engine::resume.
/// Waits for the store. Throws Error{usage} if the run or the tick does not exist, or a value is not JSON.
std::string fork(Store&, const std::string& run, std::uint64_t at, const ForkOptions& = {});

/// Throws Error{usage} for a slot that no code of this program uses, and names the slots of the stored run; and
/// Error{bad_json} with the path for a value that does not fit its slot.
void check_slots(const core::Definition&, const std::map<std::string, std::string>& slots, Store* = nullptr,
                 const std::string& run = {});
template <class W> std::string fork(Store& store, const Bound<W>& workflow, const std::string& run, std::uint64_t at,
                                    const ForkOptions& options = {}) {
    check_slots(*workflow.definition, options.slots, &store, run);
    return fork(store, run, at, options);
}
}
