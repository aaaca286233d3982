// The tools that come with weft, in the order in which a model best reads them: the table in tools/standard.cpp. They
// only read, so all are parallel; but for sql_db_query, if the database is writable.
#pragma once
#include "tools/registry.hpp"
#include <optional>

namespace weft::tools {
class Database;
/// What the tools need.
struct Given {
    Database& database;                                      // outlives the registry
    std::optional<std::vector<std::string>> web_hosts = {};  // that http_get may read; without, there is no http_get
};
/// SQL, the calculator, arithmetic, capitals; and the tools for which Given has what they need.
Registry standard(const Given&);
Registry standard(Database&);
/// Why the tool of that name may be missing, and what helps; empty for a tool that never is, and for an unknown name.
std::string_view needs(std::string_view tool);
}
