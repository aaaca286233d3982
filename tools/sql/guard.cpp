// Everything is refused that is not listed. The list of functions leaves out those that could run for long inside one
// instruction, or reach a file.
#include "tools/sql/guard.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/sql/functions.hpp"
#include <sqlite3.h>
#include <string_view>

namespace weft::tools {
namespace {
// Left out on purpose: printf and format (a width of a billion runs for seconds in one instruction), zeroblob,
// randomblob, load_extension, fts3_tokenizer, readfile, edit, and json_patch, which compares each key with each. Time
// of each of these is linear in its arguments, but for instr, replace and trim, which tools/sql/functions.cpp replaces
// by bounded ones, and for highlight and snippet of FTS5, which tools/sql/full_text.cpp replaces.
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

bool Guard::allows(int action, const char* first, const char* second, const char* database) {
    auto text = [](const char* s) { return std::string(s ? s : ""); };
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return true;
    case SQLITE_READ: {
        auto table = lower(text(first));
        if (table == "json_each" || table == "json_tree") return true;
        // Counting the rows of a part of the query itself, WITH or FROM (SELECT ...), which no schema has.
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
        if (runs_ && text(first) == "data_version") return true;  // full-text search looks so for changes
        refusal_ = "PRAGMA is not allowed: the tools list_sql_tables and sql_db_schema describe the database";
        return false;
    default:
        if (access_ == SqlAccess::write && (!database || std::string_view(database) == "main"))
            return allows_change(action, lower(text(first)));
        // So SQLite also declares a virtual table, or the table of a function, when it is first read.
        if ((action == SQLITE_UPDATE || action == SQLITE_INSERT) && lower(text(first)).starts_with("sqlite_"))
            refusal_ =
                "a virtual table of this kind is not allowed: only plain tables and views can be read, and those for "
                "full-text search and R-trees";
        else refusal_ = "this changes the database; this tool only reads: use one SELECT";
        return false;
    }
}
/// SQLite itself writes into its own tables when something is created or dropped; nobody else may, as the connection is
/// defensive, and these names are not among the tables.
bool Guard::allows_change(int action, const std::string& table) {
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
int Guard::authorize(void* self, int action, const char* first, const char* second, const char* database, const char*) {
    auto& guard = *static_cast<Guard*>(self);
    if (guard.interrupts && guard.interrupts()) return SQLITE_DENY;
    if (guard.trusted_ && action != SQLITE_FUNCTION) return SQLITE_OK;
    try {
        if (guard.allows(action, first, second, database)) return SQLITE_OK;
        guard.refusal_ = repair_utf8(utf8_cut(guard.refusal_, 300));
    } catch (...) {}  // out of memory; refuse without a sentence, since SQLite is C
    return SQLITE_DENY;
}

/// Whether the rows of a full-text table may come from a view of a virtual table. A view of that very table makes
/// SQLite 3.40 lose a statement, and with it the connection. A name in quotes of its own counts as found.
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
void Guard::install(sqlite3* db) {
    auto configure = [&](int option, int on) { sqlite3_db_config(db, option, on, nullptr); };
    configure(SQLITE_DBCONFIG_DEFENSIVE, 1);
    // Trust comes before anything reads the schema: SQLite 3.40 else gives a schema up whose column or index calls a
    // function of JSON, and a view could read no full-text table. The authorizer sees all that views and triggers read
    // and call. The expressions of columns and indexes, which it does not see, call no more by this than functions of
    // JSON, which only compute, and of those tables, which fail outside of them.
    // load_extension and its like stay refused in any schema.
    configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1);
    configure(SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0);
    configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
    configure(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0);
    const bool writes = access_ == SqlAccess::write;
    configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, writes);  // they and foreign keys keep the data as its owner wants it
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
    limit(SQLITE_LIMIT_COLUMN, 1000);  // wide tables exist, and the whole schema would not load
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
    // SQLite declares these tables when they are used first, which the authorizer would refuse as a change.
    sqlite3_exec(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", nullptr, nullptr, nullptr);
    if (may_read_itself(db)) configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
    sqlite3_set_authorizer(db, &Guard::authorize, this);
}
}
