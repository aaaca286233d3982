// The three tools of a database: list_sql_tables, sql_db_schema, sql_db_query.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <vector>

namespace weft::tools {
class Database;
/// The database outlives the tools.
std::vector<std::shared_ptr<Tool>> sql_tools(Database&);
}
