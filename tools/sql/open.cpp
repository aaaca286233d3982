// Opens a database read-only, and checks that it is one. A check that takes too long is skipped; the guard still holds.
#include "engine/error.hpp"
#include "engine/store/unwritable.hpp"
#include "engine/text/utf8.hpp"
#include "tools/sql/connection.hpp"
#include "tools/sql/statement_limits.hpp"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sqlite3.h>
#include <unistd.h>

namespace weft::tools {
namespace {
[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
    throw Error(Code::configuration, "cannot use the database '" + repair_utf8(path) + "': " + why);
}
SqliteHandle open(const std::string& name, int flags) {
    sqlite3* db = nullptr;
    auto code = sqlite3_open_v2(name.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    SqliteHandle owner(db);
    if (code == SQLITE_OK) return owner;
    if ((code & 0xFF) == SQLITE_CANTOPEN && ::access(name.c_str(), R_OK) != 0) refuse_file(name, std::strerror(errno));
    refuse_file(name, db ? sqlite3_errmsg(db) : "there is not enough memory");
}
bool can_be_written(const std::filesystem::path& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}
}

void CloseDatabase::operator()(sqlite3* db) const { sqlite3_close_v2(db); }
void CloseStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

SqliteHandle open_file(const std::string& path, SqlAccess access) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (path.find('\0') != path.npos) refuse_file(path, "a path has no NUL in it");
    auto status = fs::status(path, error);
    if (!fs::exists(status)) refuse_file(path, "there is no such file");
    if (!fs::is_regular_file(status)) refuse_file(path, "it is not a file");
    if (fs::file_size(path, error) == 0 && !error) refuse_file(path, "it is empty, so it is not a SQLite database");
    // The path is absolute: Debian's SQLite takes "file:..." for a URI, whose options could allow writing.
    auto absolute = fs::absolute(path, error);
    if (error) refuse_file(path, error.message());
    const auto flags = access == SqlAccess::write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    auto db = open(absolute.string(), flags);
    // SQLite detects only at the first read that it must write before, or cannot write at all.
    const auto code = sqlite3_exec(db.get(), "PRAGMA schema_version", nullptr, nullptr, nullptr);
    if ((code & 0xFF) != SQLITE_CANTOPEN && (code & 0xFF) != SQLITE_READONLY) {
        if (access == SqlAccess::read || sqlite3_db_readonly(db.get(), "main") == 0) return db;
        throw Error(Code::configuration, "cannot write into the database '" + repair_utf8(path) +
                                             "': this file may only be read, so open it for reading");
    }
    if (code == SQLITE_READONLY_ROLLBACK && can_be_written(absolute) && can_be_written(absolute.parent_path()))
        refuse_file(path, change_left);
    if (auto why = storage::needs_writing(absolute.string()); !why.empty()) refuse_file(path, why);
    if (access == SqlAccess::write) refuse_file(path, "nothing can be written in its folder, so open it for reading");
    return open(storage::unchanging_uri(absolute.string()), flags | SQLITE_OPEN_URI);
}

void SqlConnection::check(const std::string& path, std::chrono::milliseconds most) {
    // A large file is not read to its end: a query reports damage that it meets later.
    StatementLimits watch(*this, {}, most);
    SqlGuard::SchemaTrust trust(guard_);
    auto statement = prepare("PRAGMA quick_check(1)", nullptr);
    std::string finding = "ok";
    if (statement && sqlite3_step(statement.get()) == SQLITE_ROW)
        if (auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 0))) finding = text;
    auto code = sqlite3_errcode(db_.get()) & 0xFF;
    std::string message = sqlite3_errmsg(db_.get());
    guard_.take_refusal();
    if (code == SQLITE_NOTADB) refuse_file(path, "it is not a SQLite database");
    // Unchecked, but guarded: the check takes too long or too much, or a function or collation is unknown.
    if (code == SQLITE_ERROR && prepare("SELECT 1 FROM sqlite_schema", nullptr)) return;
    for (const auto unchecked : {SQLITE_INTERRUPT, SQLITE_NOMEM, SQLITE_AUTH, SQLITE_TOOBIG})
        if (code == unchecked) return;
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) refuse_file(path, message);
    // Damage of pages comes first, under a title; other findings are rows that violate a rule, and can be read.
    if (finding.starts_with("*** in database"))
        refuse_file(path, "it is damaged: " + repair_utf8(utf8_cut(finding, 200)));
}

std::vector<unsigned char> make_image(std::string_view sql) {
    auto db = open(":memory:", SQLITE_OPEN_READWRITE);
    if (sqlite3_exec(db.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        refuse_file("sample", sqlite3_errmsg(db.get()));
    sqlite3_int64 size = 0;
    std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(sqlite3_serialize(db.get(), "main", &size, 0),
                                                                  &sqlite3_free);
    if (!bytes) refuse_file("sample", "there is not enough memory");
    return {bytes.get(), bytes.get() + size};
}
SqliteHandle open_image(const std::vector<unsigned char>& image) {
    auto db = open(":memory:", SQLITE_OPEN_READWRITE);
    auto size = sqlite3_int64(image.size());
    // Read-only and not freed, so SQLite never writes to the bytes that all connections share.
    if (sqlite3_deserialize(db.get(), "main", const_cast<unsigned char*>(image.data()), size, size,
                            SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
        refuse_file("sample", sqlite3_errmsg(db.get()));
    return db;
}
}
