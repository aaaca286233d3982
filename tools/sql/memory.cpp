// Wraps SQLite's own allocator. The wrapper is installed before main begins, since SQLite accepts an allocator only
// before its first use; without a watcher, as in the store of runs, it only passes calls on.
#include "tools/sql/memory.hpp"
#include <sqlite3.h>

namespace weft::tools {
namespace {
thread_local SqlMemory* sql_memory_watch = nullptr;
sqlite3_mem_methods usual_sql_memory;
}

struct SqlMemory::MemoryHooks {
    static bool refuses(std::int64_t more) { return sql_memory_watch && sql_memory_watch->refuses(more); }
    static void count(std::int64_t more) {
        if (sql_memory_watch) sql_memory_watch->used_ += more;
    }
    static void* take(int size) {
        auto* taken = refuses(size) ? nullptr : usual_sql_memory.xMalloc(size);
        if (taken) count(usual_sql_memory.xSize(taken));
        return taken;
    }
    static void give_back(void* taken) {
        if (taken) count(-std::int64_t(usual_sql_memory.xSize(taken)));
        usual_sql_memory.xFree(taken);
    }
    static void* change(void* taken, int size) {
        const std::int64_t before = usual_sql_memory.xSize(taken);
        auto* changed = refuses(size - before) ? nullptr : usual_sql_memory.xRealloc(taken, size);
        if (changed) count(usual_sql_memory.xSize(changed) - before);
        return changed;
    }
    static bool install() {
        if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual_sql_memory) != SQLITE_OK) return false;
        auto asking = usual_sql_memory;
        asking.xMalloc = &take, asking.xFree = &give_back, asking.xRealloc = &change;
        return sqlite3_config(SQLITE_CONFIG_MALLOC, &asking) == SQLITE_OK;
    }
    static const bool installed;
};
const bool SqlMemory::MemoryHooks::installed = install();

SqlMemory::SqlMemory() : before_(sqlite3_memory_used()) { sql_memory_watch = this; }
SqlMemory::~SqlMemory() { sql_memory_watch = nullptr; }
std::int64_t SqlMemory::used() const { return is_asked() ? used_ : sqlite3_memory_used() - before_; }
bool SqlMemory::is_asked() { return MemoryHooks::installed; }
}
