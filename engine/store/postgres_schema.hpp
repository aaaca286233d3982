// The tables of a store in PostgreSQL, and how they come about: numbered migrations, of which each is done once, by
// whoever comes first.
//
//     prepare_database(connection, url, deadline);     // when a store is made; waits
//     connection.send(postgres_greeting, PostgresValues());     // when a connection is made again
//     check_greeting(rows, url.name(), newest);
//
// A database that cannot be used is an Error{configuration} with a sentence: of another encoding, too old, of a newer
// weft, or without the rights to make the tables.
#pragma once
#include "engine/store/postgres_connection.hpp"
#include <chrono>

namespace weft::core {
/// Each is some statements. What has been released is never changed again: a change is a further one.
const std::vector<std::vector<const char*>>& postgres_migrations();

void prepare_database(PostgresConnection&, const PostgresUrl&, std::chrono::steady_clock::time_point deadline,
                      const std::vector<std::vector<const char*>>& migrations = postgres_migrations());

extern const PostgresStatement postgres_greeting;
void check_greeting(const PostgresRows&, const std::string& name, std::int64_t newest);

/// Sends, and waits for the rows. PostgresError if there are none in time.
PostgresRows ask_postgres(PostgresConnection&, const PostgresStatement&, const PostgresValues&,
                          std::chrono::steady_clock::time_point deadline);
}
