// The tools of weft in the best order for a model: the table in tools/standard.cpp. They only read, so all are
// parallel, except sql_db_query on a writable database.
#pragma once
#include "tools/registry.hpp"
#include <optional>

namespace weft::tools {
class Database;
/// Objects that the tools need.
struct ToolResources {
    Database& database;                                      // must outlive the registry
    std::optional<std::vector<std::string>> web_hosts = {};  // hosts for http_get; std::nullopt: no http_get
};
/// The tools for SQL, calculation, arithmetic and capitals, and those whose needs Given meets.
Registry standard(const ToolResources&);
Registry standard(Database&);
/// The reason for the lack of the named tool, and the cure; empty for a tool that is always present, and for an unknown
/// name.
std::string_view needs(std::string_view tool);
}
