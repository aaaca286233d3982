// An engine holds a lock on a file beside the store. To detect an engine, this source takes a shared lock for a moment.
#include "workflows/catalog/open_store.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/postgres_store.hpp"
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace weft::catalog {
bool engine_holds(const std::string& name) {
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error).string();
    const int lock = ::open((path + "-lock").c_str(), O_RDONLY | O_CLOEXEC);
    if (lock < 0) return false;
    const bool held = ::flock(lock, LOCK_SH | LOCK_NB) != 0;
    ::close(lock);
    return held;
}
namespace {
/// True if a run is running: it has an owner, or the next heartbeat of any engine finds that its owner is dead.
bool somebody_works(Store& store) {
    const auto survey = storage::answer_of<storage::Survey>([&](auto then) { store.survey(std::move(then)); });
    const auto runs = [](const storage::RunCount& count) { return count.status == RunStatus::running; };
    return !survey.workers.empty() || std::ranges::any_of(survey.runs, runs);
}
}

OpenedStore open_store(const std::string& name, SqliteAccess access, std::function<std::int64_t()> clock,
                       StoreNotes note) {
    OpenedStore opened;
    if (is_postgres_url(name)) {
        opened.store = std::make_unique<PostgresStore>(
            name, PostgresOptions{.note = std::move(note), .now = std::move(clock)});
        opened.has_engine = [store = opened.store.get()] { return somebody_works(*store); };
        return opened;
    }
    if (!clock) clock = storage::wall_microseconds;
    opened.store = std::make_unique<SqliteStore>(
        name, SqliteOptions{.access = access, .note = std::move(note), .now = std::move(clock)});
    opened.has_engine = [held = access == SqliteAccess::visitor && engine_holds(name)] { return held; };
    return opened;
}
bool is_store_file(const std::string& name) { return !is_postgres_url(name); }
std::string shown_store(const std::string& name) {
    if (is_postgres_url(name)) return shown_postgres_url(name);
    return std::filesystem::absolute(name).lexically_normal().string();
}
}
