// Their names and parameters are those that the prompts of agents have always used.
#include "tools/sql/tools.hpp"
#include "tools/make_tool.hpp"
#include "tools/sql/database.hpp"

namespace weft::tools {
std::vector<std::shared_ptr<Tool>> sql_tools(Database& database) {
    auto list = [&database] { return database.tables(); };
    auto describe = [&database](std::string table_name) { return database.describe(std::move(table_name)); };
    auto query = [&database](std::string sql_query) { return database.observe(std::move(sql_query)); };
    return {
        make_tool("list_sql_tables", "Lists the tables of the database. Takes no arguments.", list),
        make_tool("sql_db_schema", "Shows the columns of one table of the database: names, types and keys.", describe,
                  {"table_name"}),
        make_tool("sql_db_query",
                  "Runs one SQLite SELECT on the database and gives its rows as a list of tuples. Look at the schema "
                  "of the tables first.",
                  query, {"sql_query"})};
}
}
