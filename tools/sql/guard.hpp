// What SQL may do: the authorizer and the limits of a connection.
#pragma once
#include <string>
#include <unordered_set>
#include <utility>

struct sqlite3;
namespace weft::tools {
/// Everything is refused but SELECT, reading of the tables listed here, recursion, and functions that are known to be
/// harmless. Lives as long as the connection that it guards.
class Guard {
public:
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

private:
    static int authorize(void* self, int action, const char* first, const char* second, const char* database,
                         const char* view);
    bool allows(int action, const char* first, const char* second, const char* database);
    std::string refusal_;
    bool trusted_ = false;
};
}
