// The tables of a store in PostgreSQL, and how they come about: numbered migrations, of which each is done once, by
// whoever comes first.
//
//     prepare_database(connection, url, deadline);     // when a store is made; waits
//     send_greeting(connection);                                // when a connection is made again
//     take_greeting(connection, rows, url.name(), newest);
//
// A database that cannot be used is an Error{configuration} with a sentence: of another encoding, too old, of a newer
// weft, or without the rights to make the tables. The greeting also finds out whether there is a pooler between: what
// that says of the server's process is not what the server says.
#pragma once
#include "engine/store/postgres_connection.hpp"
#include <chrono>

namespace weft::core {
/// Each is some statements. What has been released is never changed again: a change is a further one.
const std::vector<std::vector<const char*>>& postgres_migrations();

void prepare_database(PostgresConnection&, const PostgresUrl&, std::chrono::steady_clock::time_point deadline,
                      const std::vector<std::vector<const char*>>& migrations = postgres_migrations());

void send_greeting(PostgresConnection&);
void take_greeting(PostgresConnection&, const PostgresRows&, const std::string& name, std::int64_t newest);

/// Sends, and waits for the rows. PostgresError if there are none in time.
PostgresRows ask_postgres(PostgresConnection&, const PostgresStatement&, const PostgresValues&,
                          std::chrono::steady_clock::time_point deadline);
}
