// Helpers for tests of the SQL tools.
#pragma once
#include "engine/pool.hpp"
#include "engine/testing/await.hpp"
#include "tools/sql/database.hpp"
#include "tools/tool.hpp"

namespace weft::tools {
/// Returns the rows, or "refused: " and the sentence.
inline std::string ask(Database& database, std::string sql) {
    try {
        return testing::await(database.query(std::move(sql)));
    } catch (const ToolError& e) { return std::string("refused: ") + e.what(); }
}
inline std::string schema_of(Database& database, std::string table) {
    try {
        return testing::await(database.describe(std::move(table)));
    } catch (const ToolError& e) { return std::string("refused: ") + e.what(); }
}
inline const std::string runaway =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
}
