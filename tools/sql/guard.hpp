// Restricts SQL: the authorizer and the limits of a connection.
#pragma once
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>

struct sqlite3;
namespace weft::tools {
enum class SqlAccess {
    read,
    write,  // writes and reads
};
/// Allows SELECT, reading of the listed tables, recursion, and functions that are known to be harmless; with
/// SqlAccess::write also changes of these tables, and CREATE and DROP of tables, views and indexes. Refuses everything
/// else. Must live as long as its connection.
class SqlGuard {
public:
    explicit SqlGuard(SqlAccess access = SqlAccess::read) : access_(access) {}
    /// Makes the connection as safe as possible, and installs the authorizer.
    void install(sqlite3*);
    /// The reason of the refusal; empty: the statement was not refused.
    std::string take_refusal() { return std::exchange(refusal_, {}); }

    /// While it lives, statements of weft are prepared and run: they may do more, but call no other functions, because
    /// a hostile schema contains expressions.
    class SchemaTrust {
    public:
        explicit SchemaTrust(SqlGuard& guard) : guard_(guard) { guard_.trusted_ = true; }
        SchemaTrust(const SchemaTrust&) = delete;
        ~SchemaTrust() { guard_.trusted_ = false; }

    private:
        SqlGuard& guard_;
    };
    std::unordered_set<std::string> tables;  // lower case
    std::function<bool()> interrupts;        // stops the statement being compiled
    /// Call it before a statement is prepared.
    void begin_statement() { made_ = false; }
    /// True while a statement runs, since its virtual tables prepare their own statements.
    void runs(bool now) { runs_ = now; }

private:
    static int authorize(void* self, int action, const char* first, const char* second, const char* database,
                         const char* view);
    bool allows(int action, const char* first, const char* second, const char* database);
    bool allows_change(int action, const std::string& table);
    const SqlAccess access_;
    std::string refusal_;
    bool trusted_ = false, runs_ = false;
    bool made_ = false;  // the statement creates or drops an object, for which SQLite writes its own tables
};
}
