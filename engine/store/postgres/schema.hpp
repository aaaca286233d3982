// The tables of a PostgreSQL store, and their numbered migrations; the first process makes each migration once.
//
//     prepare_database(connection, url, deadline);     // at construction of a store; blocks
//     send_greeting(connection);                                // after a new connection
//     take_greeting(connection, rows, url.name(), newest);
//
// Throws Error{configuration} if the database cannot be used: it has another encoding, the server is too old, the
// tables are of a newer weft, or the role may not create tables. The greeting also detects a pooler: the connection's
// process number then differs from the server's.
#pragma once
#include "engine/store/postgres/connection.hpp"
#include <chrono>
#include <functional>

namespace weft::storage {
/// Each is a list of statements. Never change a released one: add another one instead.
std::vector<std::vector<const char*>> postgres_migrations();

void prepare_database(PostgresConnection&, const PostgresUrl&, std::chrono::steady_clock::time_point deadline,
                      const std::vector<std::vector<const char*>>& migrations = postgres_migrations());

void send_greeting(PostgresConnection&);
void take_greeting(PostgresConnection&, const PostgresRows&, const std::string& name, std::int64_t newest);

/// Calls `use` with a connection to the first host of the address that answers, and the time until which it may wait.
/// Throws PostgresError if none does.
void use_database(const PostgresUrl&, std::chrono::steady_clock::time_point deadline,
                  const std::function<void(PostgresConnection&, std::chrono::steady_clock::time_point)>& use);

/// Sends the statements of `work` in a transaction that waits up to ten seconds for each lock, and that the server ends
/// if this process sends nothing for a minute.
void in_patient_transaction(PostgresConnection&, std::chrono::steady_clock::time_point deadline,
                            const std::function<void()>& work);

/// Sends the statement, and waits for its rows. Throws PostgresError if they do not come before the deadline.
PostgresRows ask_postgres(PostgresConnection&, const PostgresStatement&, const PostgresValues&,
                          std::chrono::steady_clock::time_point deadline);
}
