// A read-only connection maps the -shm of an engine without writing to it, so it may see the runs of a moment ago.
// Without an engine's -wal the file is read as one that does not change, because SQLite would make a -wal for it.
#include "engine/store/sqlite/glance.hpp"
#include "engine/store/unwritable.hpp"
#include <filesystem>
#include <memory>
#include <sqlite3.h>
#include <sys/stat.h>

namespace weft::storage {
namespace {
struct CloseGlance {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
/// A device or a pipe might never end.
bool is_file_with_bytes(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0;
}
// An index gives the rows of both in order: the newest, or those with the beginning.
constexpr auto newest = "select id, workflow, status from runs where ?1 = '' order by created_at desc limit ?2";
constexpr auto that_begin =
    "select id, workflow, status from runs where id >= ?1 and id < ?1 || char(1114111) limit ?2";

std::vector<GlancedRun> read_runs(const std::string& uri, const std::string& beginning, std::size_t most) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(uri.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    const std::unique_ptr<sqlite3, CloseGlance> db(opened);
    if (code != SQLITE_OK) return {};
    sqlite3_exec(opened, "pragma trusted_schema = off; pragma mmap_size = 0", nullptr, nullptr, nullptr);
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(opened, beginning.empty() ? newest : that_begin, -1, &made, nullptr) != SQLITE_OK) return {};
    const std::unique_ptr<sqlite3_stmt, CloseGlance> statement(made);
    sqlite3_bind_text(made, 1, beginning.data(), int(beginning.size()), SQLITE_STATIC);
    sqlite3_bind_int64(made, 2, sqlite3_int64(most));
    std::vector<GlancedRun> runs;
    const auto text = [made](int column) {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(made, column));
        return bytes ? std::string(bytes, std::size_t(sqlite3_column_bytes(made, column))) : std::string();
    };
    while (sqlite3_step(made) == SQLITE_ROW) runs.push_back({text(0), text(1), text(2)});
    return runs;
}
}

std::vector<GlancedRun> glance(const std::string& file, const std::string& beginning, std::size_t most) {
    std::error_code error;
    const auto path = std::filesystem::canonical(file, error).string();
    if (error || !is_file_with_bytes(path)) return {};
    auto uri = unchanging_uri(path);  // file:...?immutable=1
    if (is_file_with_bytes(path + "-wal")) uri.replace(uri.rfind('?'), uri.npos, "?mode=ro&readonly_shm=1");
    return read_runs(uri, beginning, most);
}
}
