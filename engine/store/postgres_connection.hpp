// One connection to PostgreSQL, which never makes its thread wait: statements go out together, and one sync() ends them
// as one transaction, with one answer.
//
//     connection.send(statement, PostgresValues("r1"));
//     connection.send(other, PostgresValues());
//     connection.sync();
//     while (!connection.is_answered()) { poll(...descriptor(), events()...); connection.go_on(); }
//     for (auto& rows : connection.take()) use(rows);
//
// A call that cannot be done is a PostgresError. If it is_lost(), nothing is known of what was under way, and the
// connection is to be dropped; else nothing of it was done, and the connection goes on. Of one thread at a time. Only
// the look-up of a host's name may wait, as libpq has no other one.
#pragma once
#include "engine/store/postgres_url.hpp"
#include "engine/store/postgres_values.hpp"
#include <deque>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

struct pg_conn;

namespace weft::core {
class PostgresError : public std::runtime_error {
public:
    PostgresError(std::string state, const std::string& message)
        : std::runtime_error(message), state_(std::move(state)) {}
    const std::string& state() const { return state_; }  // five characters, the same in all versions
    bool is_lost() const;
    bool is_transient() const;  // the same may succeed in a moment
    bool is_of_preparing() const;
    bool is_of_the_values() const;  // these will never be taken
    bool is_of_rights() const;

private:
    std::string state_;
};

/// Prepared once in each connection, under its name. Both are literals.
struct PostgresStatement {
    const char* name;
    const char* sql;
};

class PostgresConnection {
public:
    /// Begins to connect.
    PostgresConnection(const PostgresUrl&, std::size_t attempt, bool prepares = true);
    bool is_open() const { return is_open_; }
    int descriptor() const;  // may change until it is open
    short events() const;    // that poll is to wait for
    /// Does what can be done now. Whether anything has come from the server.
    bool go_on();

    void send(const PostgresStatement&, const PostgresValues&);
    void sync();
    std::size_t sent() const { return sent_; }  // statements since the last sync
    bool is_answered() const { return answered_; }
    /// The rows of each statement since the sync before, or the error of the first one that failed.
    std::vector<PostgresRows> take();

private:
    enum class Kind { statement, preparing, aside, sync };
    struct Expected {
        Kind kind;
        std::string name;
    };
    struct Finish {
        void operator()(pg_conn*) const;
    };
    void go_on_connecting();
    void receive();
    void receive(pg_result*);
    void check(int sent) const;
    std::string message() const;
    [[noreturn]] void lose() const;

    const PostgresUrl& url_;
    std::unique_ptr<pg_conn, Finish> connection_;
    bool prepares_, is_open_ = false, has_to_write_ = true, answered_ = false;
    std::size_t sent_ = 0;
    std::deque<Expected> expected_;
    std::vector<PostgresRows> rows_;
    std::optional<PostgresError> error_;
    std::unordered_set<std::string> prepared_;
};
}
