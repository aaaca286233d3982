// One connection to PostgreSQL, which never makes its thread wait: several statements are sent, and one sync() makes
// them one transaction, with one answer.
//
//     connection.send(statement, PostgresValues("r1"));
//     connection.send(other, PostgresValues());
//     connection.sync();
//     while (!connection.is_answered()) { poll(...descriptor(), events()...); connection.go_on(revents); }
//     for (auto& rows : connection.take()) use(rows);
//
// Behind a pooler each transaction may use another connection to the server. Then nothing is prepared, and settings are
// made anew in each transaction. Nothing is prepared before greeted() has said whether there is a pooler.
//
// A call that fails throws PostgresError. If that is_lost(), it is not known what of the call was done: drop the
// connection. Else nothing of it was done, and the connection can be used. Use it on one thread at a time. Only the
// look-up of a host's name may block: libpq has no other way.
#pragma once
#include "engine/store/postgres/url.hpp"
#include "engine/store/postgres/values.hpp"
#include <deque>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

struct pg_conn;

namespace weft::storage {
class PostgresError : public std::runtime_error {
public:
    PostgresError(std::string state, const std::string& message)
        : std::runtime_error(message), state_(std::move(state)) {}
    const std::string& state() const { return state_; }  // five characters, the same in all versions
    bool is_lost() const;
    bool is_transient() const;  // the same may succeed in a moment
    bool is_of_preparing() const;
    bool is_of_the_values() const;  // the server will never accept them
    bool is_of_rights() const;
    bool is_of_options() const;  // a pooler takes none of PostgresManner::sends_options

private:
    std::string state_;
};

/// Prepared once in each connection, under its name, if it has one. Both are literals.
struct PostgresStatement {
    const char* name;
    const char* sql;
    bool begins = false;        // a transaction of its own kind: nothing comes before it
    bool has_one_plan = false;  // the server, which would plan it anew for the lengths of its lists, does so once
};
/// What one connection has found out about the server, for the next connections.
struct PostgresManner {
    bool sends_options = true;  // settings are sent when a connection is made; some poolers refuse them
    bool prepares = true;
};

class PostgresConnection {
public:
    /// Begins to connect.
    PostgresConnection(const PostgresUrl&, std::size_t attempt, PostgresManner = {});
    bool is_open() const { return is_open_; }
    int backend() const;  // the number of the server's process; a pooler makes one up
    void greeted(bool is_pooled);
    bool is_pooled() const { return is_pooled_; }
    int descriptor() const;  // may change until it is open
    short events() const;    // that poll is to wait for
    /// Does what can be done now, as poll() has said. Whether anything has come from the server.
    bool go_on(short revents);

    void send(const PostgresStatement&, const PostgresValues&);
    void sync();
    std::size_t sent() const { return sent_; }  // statements since the last sync
    bool is_answered() const { return answered_; }
    bool has_to_write() const { return has_to_write_; }
    /// The rows of each statement since the sync before, or the error of the first one that failed.
    std::vector<PostgresRows> take();
    std::vector<std::string> take_notified();  // what NOTIFY has brought

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
    void receive_notified();
    bool prepares(const PostgresStatement&) const;
    void put(const PostgresStatement&, const PostgresValues&);
    void put_aside(const PostgresStatement&);  // nobody asks for its rows
    void check(int sent) const;
    std::string message() const;
    [[noreturn]] void lose() const;

    const PostgresUrl& url_;
    std::unique_ptr<pg_conn, Finish> connection_;
    bool prepares_, is_greeted_ = false, is_pooled_ = false;
    bool is_open_ = false, has_to_write_ = true, answered_ = false;
    std::size_t sent_ = 0;
    std::deque<Expected> expected_;
    std::vector<PostgresRows> rows_;
    std::optional<PostgresError> error_;
    std::unordered_set<std::string> prepared_;
    std::vector<std::string> notified_;
};
}
