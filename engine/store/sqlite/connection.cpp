// This file checks every return code: an ignored error means lost data later.
#include "engine/store/sqlite/connection.hpp"
#include "engine/store/unwritable.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sqlite3.h>

namespace weft::storage {
namespace {
int kind(int code) { return code & 0xFF; }
/// SQLite notes the system's error for these two codes. It may be an older one, unless it explains the code.
int reason_of(sqlite3* db, int code) {
    if (!db || (kind(code) != SQLITE_IOERR && kind(code) != SQLITE_CANTOPEN)) return 0;
    const int found = sqlite3_system_errno(db);
    constexpr std::array reasons{ENOSPC, EDQUOT, EFBIG, EROFS, EMFILE, ENFILE};
    return std::ranges::find(reasons, found) != reasons.end() ? found : 0;
}
[[noreturn]] void sqlite_failed(sqlite3* db, int code) {
    std::string message = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    std::replace(message.begin(), message.end(), '\n', ' ');  // it may quote a damaged schema
    const int reason = reason_of(db, code);
    if (reason != 0) message += std::string(": ") + std::strerror(reason);
    throw SqliteError(code, message, reason);
}
void expect_ok(sqlite3* db, int code) {
    if (code != SQLITE_OK) sqlite_failed(db, code);
}
int count_pages(void* pages, sqlite3*, const char*, int now) {
    *static_cast<std::int64_t*>(pages) = now;
    return SQLITE_OK;
}
}
bool SqliteError::is_busy() const { return kind(code_) == SQLITE_BUSY || kind(code_) == SQLITE_LOCKED; }
bool SqliteError::is_full() const {
    return kind(code_) == SQLITE_FULL || reason_ == ENOSPC || reason_ == EDQUOT || reason_ == EFBIG;
}
bool SqliteError::is_damage() const { return kind(code_) == SQLITE_CORRUPT || kind(code_) == SQLITE_NOTADB; }
bool SqliteError::is_read_only() const { return kind(code_) == SQLITE_READONLY; }
bool SqliteError::is_too_big() const { return kind(code_) == SQLITE_TOOBIG; }
bool SqliteError::is_of_the_disk() const {
    switch (kind(code_)) {
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
    case SQLITE_MISUSE:
    case SQLITE_INTERNAL:
    case SQLITE_NOMEM: return true;
    default: return false;
    }
}

SqliteQuery::~SqliteQuery() {
    if (!statement_) return;
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}
bool SqliteQuery::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) sqlite_failed(db_, code);
    return false;
}
std::string SqliteQuery::text(int column) const {
    auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    const auto size = std::size_t(sqlite3_column_bytes(statement_, column));
    if (!bytes && size) throw SqliteError(SQLITE_NOMEM, "out of memory");
    return bytes ? std::string(bytes, size) : std::string();
}
std::int64_t SqliteQuery::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double SqliteQuery::real(int column) const { return sqlite3_column_double(statement_, column); }
std::optional<std::int64_t> SqliteQuery::maybe_integer(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return {};
    return integer(column);
}
std::optional<std::string> SqliteQuery::maybe_text(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return {};
    return text(column);
}
void SqliteQuery::bind(int at, std::string_view text) {
    const char* bytes = text.data() ? text.data() : "";
    expect_ok(db_, sqlite3_bind_text64(statement_, at, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}
void SqliteQuery::bind(int at, std::int64_t value) { expect_ok(db_, sqlite3_bind_int64(statement_, at, value)); }
void SqliteQuery::bind(int at, double value) { expect_ok(db_, sqlite3_bind_double(statement_, at, value)); }
void SqliteQuery::bind(int at, const std::optional<std::int64_t>& value) {
    if (value) bind(at, *value);
    else expect_ok(db_, sqlite3_bind_null(statement_, at));
}
void SqliteQuery::bind(int at, OrNull value) {
    if (!value.text.empty()) bind(at, value.text);
    else expect_ok(db_, sqlite3_bind_null(statement_, at));
}

void SqliteConnection::CloseConnection::operator()(sqlite3* db) const { sqlite3_close_v2(db); }
void SqliteConnection::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

SqliteConnection::SqliteConnection(const std::string& file, int busy_ms) {
    open(file, SQLITE_OPEN_READWRITE);
    const int readable = kind(sqlite3_exec(db_.get(), "pragma schema_version", nullptr, nullptr, nullptr));
    if (readable == SQLITE_CANTOPEN || readable == SQLITE_READONLY) {
        if (const auto why = needs_writing(file); !why.empty()) throw SqliteError(readable, why);
        open(unchanging_uri(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
        is_unchanging_ = true;
    }
    expect_ok(db_.get(), sqlite3_busy_timeout(db_.get(), busy_ms));
    sqlite3_wal_hook(db_.get(), count_pages, pages_.get());  // replaces SQLite's own checkpoints
    execute(
        "pragma foreign_keys = on; pragma trusted_schema = off; pragma cell_size_check = on; pragma mmap_size = 0;");
}
void SqliteConnection::open(const std::string& name, int flags) {
    sqlite3* db = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    db_.reset(db);
    expect_ok(db, code);
}
sqlite3_stmt* SqliteConnection::prepare(const char* sql) {
    auto i = statements_.find(std::string_view(sql));
    if (i == statements_.end()) {
        sqlite3_stmt* made = nullptr;
        expect_ok(db_.get(), sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr));
        i = statements_.try_emplace(sql, made).first;
    }
    return i->second.get();
}
std::int64_t SqliteConnection::changes() const { return sqlite3_changes64(db_.get()); }
std::int64_t SqliteConnection::all_changes() const { return sqlite3_total_changes64(db_.get()); }
bool SqliteConnection::is_in_transaction() const { return !sqlite3_get_autocommit(db_.get()); }
std::int64_t SqliteConnection::number(const char* sql) {
    auto found = query(sql);
    return found.step() ? found.integer(0) : 0;
}
void SqliteConnection::execute(const std::string& script) {
    expect_ok(db_.get(), sqlite3_exec(db_.get(), script.c_str(), nullptr, nullptr, nullptr));
}
bool SqliteConnection::checkpoint() {
    int in_log = 0, done = 0;
    const int code = sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &in_log, &done);
    if (kind(code) != SQLITE_BUSY) expect_ok(db_.get(), code);
    if (code == SQLITE_OK && in_log == done) *pages_ = 0;
    return *pages_ == 0;
}
void SqliteConnection::empty_log() {
    expect_ok(db_.get(), sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr));
    *pages_ = 0;
}
std::string SqliteConnection::integrity(int most_ms) {
    using Time = std::chrono::steady_clock;
    auto deadline = Time::now() + std::chrono::milliseconds(most_ms);
    auto is_late = [](void* at) -> int { return Time::now() > *static_cast<Time::time_point*>(at); };
    sqlite3_progress_handler(db_.get(), 1000, is_late, &deadline);
    std::string finding = "ok";
    int code = SQLITE_OK;
    try {
        auto check = query("pragma integrity_check(1)");
        if (check.step()) finding = check.text(0);
    } catch (const SqliteError& e) { code = e.code(); }
    sqlite3_progress_handler(db_.get(), 0, nullptr, nullptr);
    if (code != SQLITE_OK && kind(code) != SQLITE_INTERRUPT) sqlite_failed(nullptr, code);
    return finding;
}
}
