// The three tools of a database: list_sql_tables, sql_db_schema, sql_db_query.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <vector>

namespace weft::tools {
class Database;
/// Reading tools are parallel. On a writable database sql_db_query may change it: these calls are declared as changes
/// (tools/changing.hpp), and a durable run does none of them twice. The database must outlive the tools.
std::vector<std::shared_ptr<Tool>> sql_tools(Database&);
}
