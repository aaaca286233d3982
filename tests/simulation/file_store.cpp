// A second call follows each one, because the store's thread drops the callback of a call only after its answer.
#include "tests/simulation/file_store.hpp"
#include "engine/error.hpp"
#include <filesystem>
#include <semaphore>
#include <sqlite3.h>

namespace simulation {
FileStore::FileStore(World& world, std::function<void()> on_power_failure)
    : ForwardingStore(static_cast<Store&>(*this)), world_(world), on_power_failure_(std::move(on_power_failure)) {
    std::filesystem::create_directory(folder_.path(std::to_string(files_)));
    open();
}
void FileStore::open() {
    SqliteOptions options;
    options.now = [this] { return world_.microseconds(); };
    store_.emplace(folder_.path(std::to_string(files_) + "/weft.db"), options);
}
void FileStore::fail_at(int write) {
    if (!loses_power_) disk_.fail(write, SQLITE_IOERR_WRITE);
}
void FileStore::lose_power_at(int write) {
    loses_power_ = true;
    disk_.fail_from(write, SQLITE_IOERR_WRITE);
}
void FileStore::replace_after_power_failure() {
    store_.reset();
    disk_.heal();
    loses_power_ = false;
    const auto before = folder_.path(std::to_string(files_)), after = folder_.path(std::to_string(++files_));
    std::filesystem::create_directory(after);
    disk_.cut(before, after, std::uint32_t(world_.below(1u << 30)));
    open();
}
void FileStore::pass(StoreCall call) {
    std::binary_semaphore answered(0), dropped(0);
    StoreCall::GiveAnswer give;
    call.execute(*store_, [&](StoreCall::GiveAnswer answer) {
        give = std::move(answer);
        answered.release();
    });
    answered.acquire();
    store_->plan({}, [&](const std::exception_ptr&, const storage::StoredPlan&) { dropped.release(); });
    dropped.acquire();
    if (!loses_power_ || !disk_.has_failed()) return give();
    on_power_failure_();
    replace_after_power_failure();
    call.fail(std::make_exception_ptr(Error(Code::journal, "the power has failed")));
}
}
