// Prompts of agents fix the names and parameters. On a writable database, reading statements use a connection that
// cannot write: no protection depends on the text analysis here.
#include "tools/sql/tools.hpp"
#include "tools/at_most_once.hpp"
#include "tools/changing.hpp"
#include "tools/make_tool.hpp"
#include "tools/parallel.hpp"
#include "tools/sql/change.hpp"
#include "tools/sql/database.hpp"
#include <nlohmann/json.hpp>

namespace weft::tools {
namespace {
constexpr auto query_name = "sql_db_query", query_argument = "sql_query";

bool is_change(const nlohmann::json& arguments) {
    return changes_database(arguments.at(query_argument).get_ref<const std::string&>());
}
std::shared_ptr<Tool> reading_tool(Database& database) {
    auto query = [&database](std::string sql_query) { return database.observe(std::move(sql_query)); };
    return parallel(make_tool(query_name,
                              "Runs one SQLite SELECT on the database and gives its rows as a list of tuples. Look at "
                              "the schema of the tables first.",
                              query, {query_argument}));
}
awaitable<Observation> change(Database& database, std::string sql) {
    Observation observation;
    observation.text = co_await database.change(std::move(sql));
    co_return observation;
}
awaitable<Observation> run_sql(Database& database, std::string sql) {
    if (auto why = why_never(sql); !why.empty()) throw ToolError(why);
    return changes_database(sql) ? change(database, std::move(sql)) : database.observe(std::move(sql));
}
std::shared_ptr<Tool> writing_tool(Database& database) {
    auto run = [&database](std::string sql_query) { return run_sql(database, std::move(sql_query)); };
    auto tool = make_tool(
        query_name,
        "Runs SQLite on the database: one SELECT, which gives its rows as a list of tuples; or INSERT, "
        "UPDATE, DELETE, CREATE and DROP of tables, views and indexes, all of one call as one "
        "transaction. Look at the schema of the tables first.",
        run, {query_argument});
    return at_most_once(changing(std::move(tool), is_change), is_change);
}
}

std::vector<std::shared_ptr<Tool>> sql_tools(Database& database) {
    auto list = [&database] { return database.tables(); };
    auto describe = [&database](std::string table_name) { return database.describe(std::move(table_name)); };
    return {
        parallel(make_tool("list_sql_tables", "Lists the tables of the database. Takes no arguments.", list)),
        parallel(make_tool("sql_db_schema", "Shows the columns of one table of the database: names, types and keys.",
                           describe, {"table_name"})),
        database.writable() ? writing_tool(database) : reading_tool(database)};
}
}
