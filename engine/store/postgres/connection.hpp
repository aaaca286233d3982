// One connection to PostgreSQL that never blocks its thread: sync() makes one transaction of all statements sent
// before, with one answer.
//
//     connection.send(statement, PostgresValues("r1"));
//     connection.send(other, PostgresValues());
//     connection.sync();
//     while (!connection.is_answered()) { poll(...descriptor(), events()...); connection.go_on(revents); }
//     for (auto& rows : connection.take()) use(rows);
//
// Behind a pooler each transaction may use another connection to the server. Then the connection prepares no statement,
// and repeats its settings in each transaction. It prepares none before greeted() has reported the absence of a pooler.
//
// A call that fails throws PostgresError. If is_lost(), the effect of the call is unknown: drop the connection.
// Otherwise the call took no effect, and the connection is usable. Use it on one thread at a time. Only the look-up of
// a host's name may block: libpq has no other way.
#pragma once
#include "engine/store/postgres/url.hpp"
#include "engine/store/postgres/values.hpp"
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

struct pg_conn;

/// Until the end of the transaction a commit waits for the disk, whatever the server's default is.
#define WEFT_POSTGRES_WAITS_FOR_DISK                                                                                   \
    "set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' "                \
    "else current_setting('synchronous_commit') end, true)"

namespace weft::storage {
class PostgresError : public std::runtime_error {
public:
    PostgresError(std::string state, const std::string& message)
        : std::runtime_error(message), state_(std::move(state)) {}
    const std::string& state() const { return state_; }  // SQLSTATE: five characters, the same in all versions
    bool is_lost() const;
    bool is_transient() const;  // the same call may succeed in a moment
    bool is_of_preparing() const;
    bool is_of_the_values() const;  // the server will never accept them
    bool is_of_rights() const;
    bool is_of_options() const;  // a pooler refuses PostgresServerTraits::sends_options

private:
    std::string state_;
};

/// Prepared once in each connection if it has a name. Both texts are literals.
struct PostgresStatement {
    const char* name;
    const char* sql;
    bool begins = false;        // begins a transaction of its own kind: no statement comes before it
    bool has_one_plan = false;  // use one plan; otherwise the server plans again for other lengths of the lists
};
/// Facts that one connection has learned about the server, for the next connections.
struct PostgresServerTraits {
    bool sends_options = true;  // send settings with the start of a connection; some poolers refuse them
    bool prepares = true;
};

class PostgresConnection {
public:
    /// Starts to connect.
    PostgresConnection(const PostgresUrl&, std::size_t attempt, PostgresServerTraits = {});
    PostgresConnection(const PostgresConnection&) = delete;  // libpq knows its address, for notices
    bool is_open() const { return is_open_; }
    std::uint64_t number() const { return number_; }  // unique in this process
    int backend() const;                              // the number of the server's process; a pooler invents one
    void greeted(bool is_pooled);
    void shut_down();  // ends the connection for the server, too, although a loop has a duplicate of the descriptor
    bool is_pooled() const { return is_pooled_; }
    int descriptor() const;  // may change until it is open
    short events() const;    // events for poll()
    /// Does all that is possible after poll(). Returns whether data has come from the server.
    bool go_on(short revents);

    void send(const PostgresStatement&, const PostgresValues&);
    void sync();
    std::size_t sent() const { return sent_; }  // statements since the last sync
    bool is_answered() const { return answered_; }
    bool has_to_write() const { return has_to_write_; }
    /// Makes the commit of this transaction wait for the standbys, even if its statements only read: their rows may
    /// come from a commit that no standby has.
    void confirm();
    /// Ends the server's process of a lost connection, if it waits for standbys: else it waits, and holds its locks,
    /// for as long as they are away.
    void end_wait(int backend);
    /// Returns the rows of each statement before the last sync, or throws the error of the first failed statement.
    std::vector<PostgresRows> take();
    std::vector<std::string> take_notified();  // payloads from NOTIFY

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
    void hear(const pg_result* notice);
    bool prepares(const PostgresStatement&) const;
    void choose_plans(const PostgresStatement&);
    void put(const PostgresStatement&, const PostgresValues&);
    void put_aside(const PostgresStatement&, const PostgresValues& = PostgresValues());  // its rows are ignored
    void check(int sent) const;
    std::string message() const;
    [[noreturn]] void lose() const;

    const PostgresUrl& url_;
    const std::uint64_t number_;
    std::unique_ptr<pg_conn, Finish> connection_;
    bool prepares_, is_greeted_ = false, is_pooled_ = false;
    bool is_open_ = false, has_to_write_ = true, answered_ = false;
    std::optional<bool> has_one_plan_ = false;  // the server's setting; empty: unknown
    std::size_t sent_ = 0;
    std::deque<Expected> expected_;
    std::vector<PostgresRows> rows_;
    std::optional<PostgresError> error_;
    std::unordered_set<std::string> prepared_;
    std::vector<std::string> notified_;
};
}
