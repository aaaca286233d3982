// A store in a SQLite file, on a disk that fails and loses its power. Each call returns after its answer, so that equal
// seeds give equal histories.
//
//     FileStore store(world, [] { ... });                  // acts when the power fails: all processes are dead
//     store.fail_at(7);                                    // one write or sync
//     store.lose_power_at(30);                             // at a write or sync
#pragma once
#include "engine/store/forwarding_store.hpp"
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/disk.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/folder.hpp"

namespace simulation {
class FileStore final : public ForwardingStore {
public:
    FileStore(World&, std::function<void()> on_power_failure);
    bool is_shared() const noexcept override { return false; }
    std::shared_ptr<void> on_hint(Hint) override { return nullptr; }
    void fail_at(int write);
    void lose_power_at(int write);

private:
    void pass(StoreCall) override;
    void open();
    void replace_after_power_failure();
    World& world_;
    const std::function<void()> on_power_failure_;
    const test::Folder folder_;
    stores::Disk disk_;
    int files_ = 0;
    bool loses_power_ = false;
    std::optional<SqliteStore> store_;
};
}
