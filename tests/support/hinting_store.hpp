// A store in memory that gives hints at the test's request, and counts heartbeats.
//
//     HintingStore store;
//     store.hint("ann");                            // simulates mail for ann; "": a ready run
#pragma once
#include "engine/store/memory_store.hpp"
#include <atomic>
#include <mutex>
#include <vector>

namespace hinting {
struct HintingStore : weft::MemoryStore {
    using weft::MemoryStore::MemoryStore;
    std::shared_ptr<void> on_hint(Hint act) override {
        std::lock_guard lock(mutex);
        all.push_back(std::move(act));
        return std::make_shared<int>();
    }
    void heartbeat(weft::storage::Heartbeat worker, Then<weft::storage::HeartbeatReply> then) override {
        {
            std::lock_guard lock(mutex);
            owner = worker.id;
        }
        ++heartbeats;
        weft::MemoryStore::heartbeat(std::move(worker), std::move(then));
    }
    void hint(const std::string& concerned) {
        std::lock_guard lock(mutex);
        for (auto& act : all) act(concerned);
    }
    std::string last_owner() {  // the owner of the last heartbeat
        std::lock_guard lock(mutex);
        return owner;
    }
    std::atomic<int> heartbeats = 0;

private:
    std::mutex mutex;
    std::vector<Hint> all;  // never removed, because a call after the engine's destruction is harmless
    std::string owner;
};
}
