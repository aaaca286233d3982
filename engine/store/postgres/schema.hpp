// The tables of a store in PostgreSQL, and how they are made: numbered migrations, each of which is made once, by the
// process that comes first.
//
//     prepare_database(connection, url, deadline);     // when a store is made; waits
//     send_greeting(connection);                                // when a connection is made again
//     take_greeting(connection, rows, url.name(), newest);
//
// A database that cannot be used is an Error{configuration}: it has another encoding, the server is too old, the tables
// are those of a newer weft, or the role may not make them. The greeting also detects a pooler: the process number that
// came with the connection is then not the one that the server gives.
#pragma once
#include "engine/store/postgres/connection.hpp"
#include <chrono>

namespace weft::storage {
/// Each is a list of statements. One that was released is never changed: add another one instead.
const std::vector<std::vector<const char*>>& postgres_migrations();

void prepare_database(PostgresConnection&, const PostgresUrl&, std::chrono::steady_clock::time_point deadline,
                      const std::vector<std::vector<const char*>>& migrations = postgres_migrations());

void send_greeting(PostgresConnection&);
void take_greeting(PostgresConnection&, const PostgresRows&, const std::string& name, std::int64_t newest);

/// Sends, and waits for the rows. PostgresError if there are none in time.
PostgresRows ask_postgres(PostgresConnection&, const PostgresStatement&, const PostgresValues&,
                          std::chrono::steady_clock::time_point deadline);
}
