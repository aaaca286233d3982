// Checks SQLite's memory on a thread at each allocation: only this can stop SQLite while it compiles a statement.
// SQLite does not call its progress handler then, and calls the authorizer only after WITH is expanded.
#pragma once
#include <cstdint>

namespace weft::tools {
/// While it lives, it counts SQLite's allocations on this thread, and may refuse them; the statement then ends with
/// SQLITE_NOMEM. One at a time.
class SqlMemory {
public:
    SqlMemory();
    SqlMemory(const SqlMemory&) = delete;
    virtual ~SqlMemory();
    std::int64_t used() const;  // since construction
    /// Whether SQLite uses the wrapper: not if the program set an allocator, or used SQLite before weft was loaded.
    static bool is_asked();

    struct MemoryHooks;  // the allocator's wrapper

private:
    virtual bool refuses(std::int64_t more) = 0;
    std::int64_t used_ = 0;
    const std::int64_t before_;
};
}
