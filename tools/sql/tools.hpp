// The three tools of a database: list_sql_tables, sql_db_schema, sql_db_query.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <vector>

namespace weft::tools {
class Database;
/// Those that only read are parallel. If the database is writable, sql_db_query may change it: such calls are declared
/// to be changes (tools/changing.hpp), and in a durable run none of them is done twice. The database outlives the
/// tools.
std::vector<std::shared_ptr<Tool>> sql_tools(Database&);
}
