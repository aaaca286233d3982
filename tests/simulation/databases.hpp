// The databases of a history: the store of its processes has one to four, and may grow. The processes see each one
// through a link of their own; the oracles see them all at once.
#pragma once
#include "engine/store/memory_store.hpp"
#include "engine/store/sharded_store.hpp"
#include "tests/simulation/link.hpp"
#include <memory>
#include <vector>

namespace simulation {
struct Database {
    std::unique_ptr<Store> store;
    Disk disk;
};
class Databases final : public ForwardingStore {
public:
    /// `file`: the only one, which the processes do not share. Null: `count` databases.
    Databases(World&, std::size_t count, std::unique_ptr<Store> file);
    /// Adds a database. A process has to start anew to see it.
    void grow();
    const std::vector<std::unique_ptr<Database>>& all() const { return all_; }
    const std::vector<std::size_t>& sizes() const { return sizes_; }  // numbers of databases that there have been
    std::size_t number_of(const std::string& run);                    // of the database that has the run
    bool is_shared() const noexcept override { return all_.front()->store->is_shared(); }

private:
    void pass(StoreCall call) override;
    void add(std::unique_ptr<Store>);
    void connect();
    World& world_;
    std::vector<std::unique_ptr<Database>> all_;
    std::vector<std::size_t> sizes_;
    std::unique_ptr<ShardedStore> store_;
};
}
