// One connection to SQLite, and statements that it prepares once.
//
//     auto query = connection.query("select body from ticks where run = ?1 and seq = ?2", run, seq);
//     while (query.step()) use(query.text(0));
//
// A call that SQLite refuses throws SqliteError. Use it on one thread at a time.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace weft::storage {
class SqliteError : public std::runtime_error {
public:
    /// `reason` is an errno of the system, if that explains the code.
    SqliteError(int code, const std::string& message, int reason = 0)
        : std::runtime_error(message), code_(code), reason_(reason) {}
    int code() const { return code_; }  // SQLite's extended result code
    bool is_busy() const;
    bool is_full() const;  // the disk, or what a quota or a limit leaves of it
    bool is_damage() const;
    bool is_read_only() const;
    bool is_too_big() const;
    /// Drop the connection: neither its commits nor its reads can be trusted.
    bool is_of_the_disk() const;

private:
    int code_, reason_;
};

/// A text that is null if empty.
struct OrNull {
    std::string_view text;
};
/// A statement in use; the bound texts must outlive it.
class SqliteQuery {
public:
    SqliteQuery(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
    SqliteQuery(SqliteQuery&& other) noexcept : db_(other.db_), statement_(std::exchange(other.statement_, nullptr)) {}
    ~SqliteQuery();
    bool step();  // returns whether there is a row
    std::string text(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::optional<std::int64_t> maybe_integer(int column) const;
    std::optional<std::string> maybe_text(int column) const;

    void bind(int, std::string_view);
    void bind(int, std::int64_t);
    void bind(int at, std::uint64_t value) { bind(at, std::int64_t(value)); }
    void bind(int at, int value) { bind(at, std::int64_t(value)); }
    void bind(int, double);
    void bind(int, const std::optional<std::int64_t>&);
    void bind(int, OrNull);

private:
    sqlite3* db_;
    sqlite3_stmt* statement_;
};

class SqliteConnection {
public:
    SqliteConnection(const std::string& file, int busy_ms);  // the file must exist

    template <class... Values> SqliteQuery query(const char* sql, const Values&... values) {
        SqliteQuery query(db_.get(), prepare(sql));
        int at = 0;
        (query.bind(++at, values), ...);
        return query;
    }
    /// Executes a statement without rows. Returns the number of changed rows.
    template <class... Values> std::int64_t run(const char* sql, const Values&... values) {
        auto statement = query(sql, values...);
        while (statement.step()) {}
        return changes();
    }
    std::int64_t number(const char* sql);     // first column of the first row
    void execute(const std::string& script);  // several statements, prepared for this call only
    std::int64_t pages_in_log() const { return *pages_; }
    bool checkpoint();  // limited by other connections; returns whether the log was written completely
    void empty_log();   // the whole log, or throws SqliteError
    /// "ok", or the damage of the file; "ok" also if the file is too large to check in this time.
    std::string integrity(int most_ms);
    bool is_in_transaction() const;
    std::int64_t all_changes() const;  // number of rows that were changed since the connection was opened
    /// True if the file's place is read-only; this connection sees the file as it was when it was opened.
    bool is_unchanging() const { return is_unchanging_; }

private:
    struct CloseConnection {
        void operator()(sqlite3*) const;
    };
    struct Finalize {
        void operator()(sqlite3_stmt*) const;
    };
    sqlite3_stmt* prepare(const char* sql);
    void open(const std::string& name, int flags);
    std::int64_t changes() const;

    std::unique_ptr<std::int64_t> pages_ = std::make_unique<std::int64_t>(0);
    bool is_unchanging_ = false;
    std::unique_ptr<sqlite3, CloseConnection> db_;
    std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;  // destroyed before db_
};
}
