// Whether an engine is at work is asked of the lock that it holds on the file beside the store. The question itself
// holds that lock for a moment, shared: it is over before a word about it could be said.
#include "workflows/catalog/open_store.hpp"
#include "engine/error.hpp"
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace weft::catalog {
namespace {
bool engine_holds(const std::string& name) {
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error).string();
    const int lock = ::open((path + "-lock").c_str(), O_RDONLY | O_CLOEXEC);
    if (lock < 0) return false;
    const bool held = ::flock(lock, LOCK_SH | LOCK_NB) != 0;
    ::close(lock);
    return held;
}
}

OpenedStore open_store(const std::string& name, SqliteAccess access, std::function<std::int64_t()> clock) {
    for (const auto* scheme : {"postgres://", "postgresql://"})  // what comes after it may be a password
        if (name.starts_with(scheme))
            throw Error(Code::configuration, "this version of weft keeps its runs in SQLite files, not in PostgreSQL: "
                                             "name a file as the store");
    OpenedStore opened;
    opened.store = std::make_unique<SqliteStore>(name, SqliteOptions{.access = access, .now = std::move(clock)});
    opened.has_engine = access == SqliteAccess::visitor && engine_holds(name);
    return opened;
}
}
