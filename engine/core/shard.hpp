// A database of an engine's store, with the engine's lease on it. Most stores have one.
#pragma once
#include "engine/core/lease.hpp"
#include <atomic>
#include <memory>
#include <utility>

namespace weft {
class Store;
}
namespace weft::core {
struct Shard {
    Shard(Store* s, std::shared_ptr<Lease> l) : store(s), lease(std::move(l)) {}
    Store* const store;  // null: a loop without a store
    std::shared_ptr<Lease> lease;
    /// The store may have runs as this engine's that the engine does not know, because an answer was lost.
    std::atomic<bool> left_behind = false;
    std::atomic<bool> claims_late =
        false;  // a claim of one of several databases has waited for too long for its answer
};
}
