// The memory that SQLite allocates on a thread, checked at each allocation: only there can it be stopped while it
// compiles a statement. Its progress handler is not called then, and the authorizer only when all of WITH is unfolded.
#pragma once
#include <cstdint>

namespace weft::tools {
/// While it lives, the allocations of SQLite on this thread are counted, and refused if it says so; the statement then
/// ends with SQLITE_NOMEM. One at a time.
class SqlMemory {
public:
    SqlMemory();
    SqlMemory(const SqlMemory&) = delete;
    virtual ~SqlMemory();
    std::int64_t used() const;  // since it was made
    /// Whether SQLite asks at all: not in a program that gave it an allocator, or used it before weft was loaded.
    static bool is_asked();

    struct Asking;  // of the allocator

private:
    virtual bool refuses(std::int64_t more) = 0;
    std::int64_t used_ = 0;
    const std::int64_t before_;
};
}
