// The tools that come with weft, in the order in which a model best reads them: the table in tools/standard.cpp. They
// only read, so all are parallel.
#pragma once
#include "tools/registry.hpp"
#include <optional>

namespace weft::tools {
class Database;
/// What they work with.
struct Given {
    Database& database;                                      // outlives the registry
    std::optional<std::vector<std::string>> web_hosts = {};  // that http_get may read; without, there is no http_get
};
/// The database's, the calculator, arithmetic, capitals; and those that Given has something for.
Registry standard(const Given&);
Registry standard(Database&);
/// Why the tool of that name may not be there, and what helps; empty for one that always is, and for a name of none.
std::string_view needs(std::string_view tool);
}
