// Declares the names that snippets of the headers in engine/store use, for tests/house/snippets.hpp.
#pragma once

namespace given {
namespace in_store::in_damaged {
using storage::DamagedError;
using storage::is_damaged;
extern std::vector<storage::RunRow> rows;
extern Store& store;
extern std::string id;
void use(const std::string& id);
void load(Store&, const std::string& id);
}
namespace in_store::in_model_flow {
using storage::read_model_state;
using storage::take_quota;
using storage::write_model_state;
extern storage::ModelLimit limit;
extern storage::QuotaRequest request;
extern std::int64_t now;
extern std::string text;
}
namespace in_sqlite::in_logs {
using storage::SqliteLogs;
extern storage::SqliteConnection connection;
extern storage::RunRow row;
extern storage::LogEntries entries;
extern std::int64_t last;
}
namespace in_postgres::in_call {
extern storage::PostgresCallPtr call;
extern storage::PostgresConnection connection;
extern std::span<storage::PostgresRows> rows;
}
namespace in_postgres::in_schema {
using storage::prepare_database;
using storage::send_greeting;
using storage::take_greeting;
extern storage::PostgresConnection connection;
extern storage::PostgresUrl url;
extern storage::PostgresRows rows;
extern std::chrono::steady_clock::time_point deadline;
extern std::int64_t newest;
}
namespace in_postgres::in_url {
using storage::PostgresUrl;
}
namespace in_postgres::in_values {
using storage::PostgresValues;
extern storage::PostgresRows rows;
}
namespace in_store::in_unwritable {
using storage::needs_writing;
using storage::unchanging_uri;
extern sqlite3* db;
void refuse(std::string_view why);
}
namespace in_sqlite::in_connection {
extern storage::SqliteConnection connection;
extern std::string run;
extern std::uint64_t seq;
}
}
