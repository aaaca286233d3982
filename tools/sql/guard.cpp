// The guard refuses all that is not listed. The list omits functions that could run long inside one
// instruction, or open a file.
#include "tools/sql/guard.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/sql/functions.hpp"
#include <sqlite3.h>
#include <string_view>

namespace weft::tools {
namespace {
// Omitted on purpose: printf and format (a width of a billion runs for seconds in one instruction), zeroblob,
// randomblob, load_extension, fts3_tokenizer, readfile, edit, and json_patch, which compares all pairs of keys. Each
// listed function takes time linear in its arguments; tools/sql/functions.cpp replaces instr, replace and trim, and
// tools/sql/full_text.cpp replaces highlight and snippet of FTS5.
const std::unordered_set<std::string_view> functions = {
    // clang-format off
    "->", "->>", "abs", "avg", "bm25", "ceil", "ceiling", "char", "coalesce", "count", "cume_dist", "current_date",
    "current_time", "current_timestamp", "date", "datetime", "dense_rank", "exp", "first_value", "floor", "glob",
    "group_concat", "hex", "highlight", "ifnull", "iif", "instr", "json", "json_array", "json_array_length",
    "json_each", "json_extract", "json_group_array", "json_group_object", "json_insert", "json_object",
    "json_quote", "json_remove", "json_replace", "json_set", "json_tree", "json_type", "json_valid", "julianday",
    "lag", "last_value", "lead", "length", "like", "likelihood", "likely", "ln", "log", "log10", "log2", "lower",
    "ltrim", "match", "max", "min", "mod", "nth_value", "ntile", "nullif", "percent_rank", "pi", "pow", "power",
    "quote", "rank", "replace", "round", "row_number", "rtrim", "sign", "snippet", "sqrt", "strftime", "substr",
    "substring", "sum", "time", "total", "trim", "trunc", "typeof", "unicode", "unixepoch", "unlikely", "upper"
    // clang-format on
};
}

bool SqlGuard::allows(int action, const char* first, const char* second, const char* database) {
    auto text = [](const char* s) { return std::string(s ? s : ""); };
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return true;
    case SQLITE_READ: {
        auto table = lower(text(first));
        if (table == "json_each" || table == "json_tree") return true;
        // Counts the rows of a part of the query, WITH or FROM (SELECT ...), which belongs to no schema.
        if (!database && (!second || !*second)) return true;
        bool main = !database || std::string_view(database) == "main";
        if (main && made_ && table.starts_with("sqlite_")) return true;
        if (main && (tables.count(table) || table == "sqlite_master" || table == "sqlite_schema")) return true;
        refusal_ = "reading " + text(first) + " is not allowed: only the tables of the database can be read";
        return false;
    }
    case SQLITE_FUNCTION:
        if (functions.count(lower(text(second)))) return true;
        refusal_ = "the function " + text(second) + " is not available: use plain SQL, and round() for decimals";
        return false;
    case SQLITE_PRAGMA:
        if (runs_ && text(first) == "data_version") return true;  // full-text search detects changes by it
        refusal_ = "PRAGMA is not allowed: the tools list_sql_tables and sql_db_schema describe the database";
        return false;
    default:
        if (access_ == SqlAccess::write && (!database || std::string_view(database) == "main"))
            return allows_change(action, lower(text(first)));
        // SQLite declares a virtual table, or the table of a function, in this way at its first use.
        if ((action == SQLITE_UPDATE || action == SQLITE_INSERT) && lower(text(first)).starts_with("sqlite_"))
            refusal_ =
                "a virtual table of this kind is not allowed: only plain tables and views can be read, and those for "
                "full-text search and R-trees";
        else refusal_ = "this changes the database; this tool only reads: use one SELECT";
        return false;
    }
}
/// SQLite writes its own tables when an object is created or dropped. Statements of users cannot, as the connection is
/// defensive, and these names are not among the tables.
bool SqlGuard::allows_change(int action, const std::string& table) {
    const bool schema = table == "sqlite_master" || table == "sqlite_schema";
    switch (action) {
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        if (schema || tables.count(table) || (made_ && table.starts_with("sqlite_"))) return true;
        break;
    case SQLITE_CREATE_TABLE:
        tables.insert(table);  // the rest of the statement reads it
        return made_ = true;
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_INDEX:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_INDEX: return made_ = true;
    case SQLITE_REINDEX:
        if (made_) return true;
        break;
    default: break;
    }
    refusal_ = "this is not allowed: only plain tables can be changed, and tables, views and indexes made and dropped";
    return false;
}
int SqlGuard::authorize(void* self, int action, const char* first, const char* second, const char* database,
                        const char*) {
    auto& guard = *static_cast<SqlGuard*>(self);
    if (guard.interrupts && guard.interrupts()) return SQLITE_DENY;
    if (guard.trusted_ && action != SQLITE_FUNCTION) return SQLITE_OK;
    try {
        if (guard.allows(action, first, second, database)) return SQLITE_OK;
        guard.refusal_ = repair_utf8(utf8_cut(guard.refusal_, 300));
    } catch (...) {}  // out of memory: refuse without a sentence, since no exception may reach C
    return SQLITE_DENY;
}

/// Whether the rows of a full-text table may come from a view of a virtual table. A view of the same table makes
/// SQLite 3.40 lose a statement, and so the connection. A name with quotes in it counts as found.
static bool may_read_itself(sqlite3* db) {
    int found = 0;
    const auto see = [](void* seen, int, char**, char**) { return *static_cast<int*>(seen) = 1; };
    const int done = sqlite3_exec(db,
                                  "SELECT 1 FROM sqlite_schema AS t, sqlite_schema AS v WHERE v.type = 'view'"
                                  " AND t.sql LIKE 'create virtual table%content%'"
                                  " AND (instr(lower(t.sql), lower(v.name)) OR v.name GLOB '*[]\"''`[]*')"
                                  " AND EXISTS (SELECT 1 FROM sqlite_schema AS f, sqlite_schema AS u"
                                  " WHERE u.type = 'view' AND f.sql LIKE 'create virtual table%'"
                                  " AND (instr(lower(u.sql), lower(f.name)) OR f.name GLOB '*[]\"''`[]*'))",
                                  see, &found, nullptr);
    return done != SQLITE_OK || found;
}
void SqlGuard::install(sqlite3* db) {
    auto configure = [&](int option, int on) { sqlite3_db_config(db, option, on, nullptr); };
    configure(SQLITE_DBCONFIG_DEFENSIVE, 1);
    // Trust is set before anything reads the schema: SQLite 3.40 would otherwise reject a schema whose column or index
    // calls a JSON function, and views could not read full-text tables. The authorizer sees all reads and calls of
    // views and triggers. It does not see the expressions of columns and indexes; with trust these can call JSON
    // functions, which only compute, and functions of full-text tables, which fail outside of them. load_extension and
    // similar functions stay refused in any schema.
    configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1);
    configure(SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0);
    configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
    configure(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0);
    const bool writes = access_ == SqlAccess::write;
    configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, writes);  // triggers and foreign keys keep the owner's rules
    configure(SQLITE_DBCONFIG_ENABLE_FKEY, writes);
    configure(SQLITE_DBCONFIG_DQS_DDL, 0);
    if (!writes) sqlite3_exec(db, "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
    sqlite3_exec(db,
                 "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;"
                 "PRAGMA mmap_size = 0",
                 nullptr, nullptr, nullptr);
    auto limit = [&](int what, int most) { sqlite3_limit(db, what, most); };
    limit(SQLITE_LIMIT_LENGTH, 1'000'000);
    limit(SQLITE_LIMIT_SQL_LENGTH, 100'000);
    limit(SQLITE_LIMIT_COLUMN, 1000);  // wide tables exist, and would make the whole schema unreadable
    limit(SQLITE_LIMIT_EXPR_DEPTH, 50);
    limit(SQLITE_LIMIT_COMPOUND_SELECT, 10);
    limit(SQLITE_LIMIT_VDBE_OP, 25'000);
    limit(SQLITE_LIMIT_FUNCTION_ARG, 8);
    limit(SQLITE_LIMIT_ATTACHED, 0);
    limit(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50);
    limit(SQLITE_LIMIT_VARIABLE_NUMBER, 10);
    limit(SQLITE_LIMIT_TRIGGER_DEPTH, 10);
    limit(SQLITE_LIMIT_WORKER_THREADS, 0);
    replace_functions(db);
    // SQLite declares these tables at their first use, which the authorizer would refuse as a change.
    sqlite3_exec(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", nullptr, nullptr, nullptr);
    if (may_read_itself(db)) configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
    sqlite3_set_authorizer(db, &SqlGuard::authorize, this);
}
}
