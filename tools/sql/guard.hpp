// What SQL may do: the authorizer and the limits of a connection.
#pragma once
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>

struct sqlite3;
namespace weft::tools {
enum class SqlAccess {
    read,
    write,  // too
};
/// Everything is refused but SELECT, reading of the tables listed here, recursion, and functions that are known to be
/// harmless; with SqlAccess::write also changes of these tables, and making and dropping of tables, views and indexes.
/// Lives as long as the connection that it guards.
class Guard {
public:
    explicit Guard(SqlAccess access = SqlAccess::read) : access_(access) {}
    /// Makes the connection as safe as SQLite can make it and installs the authorizer.
    void install(sqlite3*);
    /// Why the statement was refused, empty if it was not.
    std::string take_refusal() { return std::exchange(refusal_, {}); }

    /// While it lives, our own statements are prepared and run: they may do more, but call no other functions, since a
    /// hostile schema brings expressions along.
    class Trust {
    public:
        explicit Trust(Guard& guard) : guard_(guard) { guard_.trusted_ = true; }
        Trust(const Trust&) = delete;
        ~Trust() { guard_.trusted_ = false; }

    private:
        Guard& guard_;
    };
    std::unordered_set<std::string> tables;  // in small letters
    std::function<bool()> interrupts;        // a statement that is being compiled
    /// Before a statement is prepared.
    void begin_statement() { made_ = false; }
    /// While a statement runs, its virtual tables prepare their own.
    void runs(bool now) { runs_ = now; }

private:
    static int authorize(void* self, int action, const char* first, const char* second, const char* database,
                         const char* view);
    bool allows(int action, const char* first, const char* second, const char* database);
    bool allows_change(int action, const std::string& table);
    const SqlAccess access_;
    std::string refusal_;
    bool trusted_ = false, runs_ = false;
    bool made_ = false;  // the statement makes or drops something, for which SQLite writes into its own tables
};
}
