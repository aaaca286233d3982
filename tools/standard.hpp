// The tools of weft in the best order for a model: the table in tools/standard.cpp. They only read, so all are
// parallel, except sql_db_query on a writable database.
#pragma once
#include "tools/options.hpp"
#include "tools/registry.hpp"

namespace weft::tools {
class Database;
/// The tools for SQL, calculation, arithmetic and capitals, and those whose options are given. The database must
/// outlive the registry.
Registry standard(Database&, const ToolOptions& = {});
/// The reason for the lack of the named tool; empty for a tool that is always present, and for an unknown name.
std::string_view needs(std::string_view tool);
}
