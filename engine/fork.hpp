// A new run that begins with the ticks of another one, up to one of them, and goes on by itself: to try another answer,
// another model or another value of a slot from there on. The other run stays as it is.
//
//     const auto id = fork(store, "refund:A-17", 3, {.slots = {{"claim", R"({"text": "1.00 for order 7"})"}}});
//     auto run = engine.resume(stored, id);
//
// With the workflow, fork(store, stored, ...), what does not fit its slots is refused at once; without it, when the new
// run is resumed.
#pragma once
#include "engine/core/machine/definition.hpp"
#include "engine/store.hpp"
#include "engine/workflow.hpp"
#include <map>

namespace weft {
struct ForkOptions {
    std::string id;                            // of the new run; empty: drawn
    std::map<std::string, std::string> slots;  // by their names in snake_case: JSON that takes the place of the value
};
/// The last tick that it begins with is `at`. Its timeout, if it had one, does not hold for the new run. Gives the id
/// of that, which is ready to be resumed. Waits for the store. Throws Error{usage} for a run or a tick that does not
/// exist, and for a value that is no JSON.
std::string fork(Store&, const std::string& run, std::uint64_t at, const ForkOptions& = {});

/// Throws Error{usage} for a slot that the durable workflow does not list, and Error{bad_json} that names the place for
/// a value that is none of it.
void check_slots(const core::Definition&, const std::map<std::string, std::string>& slots);
template <class W> std::string fork(Store& store, const Bound<W>& workflow, const std::string& run, std::uint64_t at,
                                    const ForkOptions& options = {}) {
    check_slots(*workflow.definition, options.slots);
    return fork(store, run, at, options);
}
}
