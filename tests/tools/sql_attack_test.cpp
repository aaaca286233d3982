#include "tests/support/limit.hpp"
#include "tests/tools/sql_world.hpp"
#include <doctest/doctest.h>
#include <filesystem>
using namespace weft;
using namespace weft::tools;

namespace {
struct Target {
    Pool pool{1};
    std::chrono::milliseconds deadline = test::limit;  // so that a busy machine gives the same reason
    Database database{pool, SqlLimits{.deadline = deadline}};
    void refuses(const std::string& sql, std::string_view because = "") {
        INFO(sql.substr(0, 200));
        auto answer = ask(database, sql);
        INFO(answer.substr(0, 300));
        CHECK(answer.starts_with("refused: "));
        CHECK(answer.find(because) != std::string::npos);
        CHECK(answer.size() < 6000);
    }
    ~Target() { CHECK(ask(database, "SELECT COUNT(*), SUM(ORD_AMOUNT) FROM ORDERS") == "[(34, 72600)]"); }
};
}

// shows B-A08: SQL cannot write
TEST_CASE("a write is refused by its name") {
    Target t;
    auto refuses_as = [&t](const std::string& sql, const std::string& name) {
        t.refuses(sql, "refused: " + name + " changes the database; this tool only reads: use one SELECT");
    };
    refuses_as("INSERT INTO ORDERS SELECT * FROM ORDERS", "INSERT");
    refuses_as("UPDATE ORDERS SET ORD_AMOUNT = 0", "UPDATE");
    refuses_as("DELETE FROM ORDERS RETURNING *", "DELETE");
    refuses_as("REPLACE INTO AGENTS VALUES ('A', 'b', 'c', 1, '', '')", "REPLACE");
    refuses_as("CREATE TABLE t AS SELECT * FROM ORDERS", "CREATE TABLE");
    refuses_as("CREATE TEMP VIEW v AS SELECT 1", "CREATE TEMP VIEW");
    refuses_as("CREATE UNIQUE INDEX i ON ORDERS(ORD_NUM)", "CREATE UNIQUE INDEX");
    refuses_as("CREATE VIRTUAL TABLE f USING fts5(a)", "CREATE VIRTUAL TABLE");
    refuses_as("CREATE TEMP TRIGGER g AFTER INSERT ON ORDERS BEGIN SELECT 1; END", "CREATE TEMP TRIGGER");
    refuses_as("ALTER TABLE ORDERS ADD COLUMN x", "ALTER TABLE");
    refuses_as("DROP TABLE ORDERS", "DROP TABLE");
    refuses_as("DROP VIEW IF EXISTS v2", "DROP VIEW");
    refuses_as("UPDATE sqlite_master SET sql = ''", "UPDATE");
    t.refuses("BEGIN EXCLUSIVE", "BEGIN is for changes of the database");
    t.refuses("COMMIT", "COMMIT is for changes");
    t.refuses("SAVEPOINT s", "SAVEPOINT is for changes");
    t.refuses("ANALYZE", "ANALYZE writes statistics into the database");
    t.refuses("REINDEX", "REINDEX rewrites the indexes");
    t.refuses("VACUUM", "VACUUM rewrites the database");
    t.refuses("ATTACH ':memory:' AS other", "ATTACH opens another database");
}

TEST_CASE("an error names a write with any text around it, even if the write would fail") {
    Target t;
    for (auto* sql :
         {"DROP TABLE nowhere", "drop\ttable\nif exists nowhere", "-- tidy up\n/* first; */ DROP TABLE ORDERS",
          "EXPLAIN QUERY PLAN DROP TABLE ORDERS", "SELECT 1; DROP TABLE ORDERS", ";; SELECT ';' ;DROP TABLE x",
          "SELECT * FROM nowhere; DROP TABLE ORDERS; SELECT 1", "DROP TABLE", "\357\273\277DROP TABLE x",
          "DROP TABLE ORDERS; DELETE FROM AGENTS"})
        t.refuses(sql, "refused: DROP TABLE changes the database");
    for (auto* sql : {"WITH x AS (SELECT 1) DELETE FROM ORDERS",
                      "WITH RECURSIVE x(a, b) AS NOT MATERIALIZED (SELECT ')', "
                      "(1)), [y;] AS (SELECT 2) DELETE FROM nowhere",
                      "DELETE nonsense"})
        t.refuses(sql, "refused: DELETE changes the database");
    t.refuses("TRUNCATE TABLE ORDERS", "TRUNCATE TABLE changes the database");
    t.refuses("DROP nonsense", "refused: DROP changes the database");
}

TEST_CASE("a SELECT with words of changes runs") {
    Target t;
    CHECK(ask(t.database, "SELECT replace('DROP TABLE x; DELETE', 'x', 'y') /* DROP TABLE x */ -- ; DROP TABLE x") ==
          "[('DROP TABLE y; DELETE',)]");
    CHECK(ask(t.database, "WITH replace(\"delete\") AS (SELECT 'it''s; DROP TABLE x') SELECT * FROM replace") ==
          "[(\"it's; DROP TABLE x\",)]");
    CHECK(ask(t.database, "VALUES (1); -- INSERT") == "[(1,)]");
    t.refuses("SELECT 1; SELECT 2 AS \"; DROP TABLE ORDERS\"", "more than one");
}

TEST_CASE("a query reads and makes no other file") {
    Target t;
    auto victim = (std::filesystem::temp_directory_path() / "weft_attack.db").string();
    t.refuses("ATTACH '" + victim + "' AS other");
    t.refuses("ATTACH ':memory:' AS other");
    t.refuses("ATTACH 'file:" + victim + "?mode=rwc' AS other");
    t.refuses("DETACH main");
    t.refuses("VACUUM INTO '" + victim + "'");
    t.refuses("VACUUM main INTO '" + victim + "'");
    t.refuses("SELECT readfile('/etc/passwd')", "no such function");
    t.refuses("SELECT writefile('" + victim + "', 'x')", "no such function");
    t.refuses("SELECT load_extension('evil')");
    t.refuses("SELECT edit('x')");
    t.refuses("SELECT fts3_tokenizer('simple')");
    CHECK(!std::filesystem::exists(victim));
}

TEST_CASE("a pragma is refused in any notation") {
    Target t;
    for (auto* sql : {"PRAGMA writable_schema = 1", "PRAGMA query_only = 0", "PRAGMA temp_store_directory = '/'",
                      "PRAGMA journal_mode = DELETE", "PRAGMA table_info(ORDERS)", "PRAGMA user_version = 7",
                      "PRAGMA trusted_schema = 1", "/**/ pragma cache_size = 100000000", "EXPLAIN PRAGMA user_version"})
        t.refuses(sql, "PRAGMA is not allowed");
    t.refuses("SELECT * FROM pragma_table_info('ORDERS')", "only plain tables and views");
    t.refuses("SELECT * FROM pragma_database_list", "only plain tables and views");
    t.refuses("SELECT * FROM dbstat", "");
    t.refuses("SELECT * FROM sqlite_stmt");
    t.refuses("SELECT * FROM sqlite_temp_master", "only the tables of the database");
}

TEST_CASE("only one statement runs at a time, with any comments and quotes") {
    Target t;
    t.refuses("SELECT 1; SELECT 2", "more than one");
    t.refuses("SELECT 1; -- comment\n SELECT 2", "more than one");
    t.refuses("SELECT 1 /* */ ; /* */ PRAGMA writable_schema = 1", "more than one");
    t.refuses("SELECT 1; not even SQL", "more than one");
    CHECK(ask(t.database, ";;; SELECT 1") == "[(1,)]");
    t.refuses(std::string("SELECT 1\0; DROP TABLE ORDERS", 28), "NUL");
    t.refuses("SELECT '", "SQL error");
    CHECK(ask(t.database, "SELECT ';' ; /* unclosed") == "[(';',)]");
    CHECK(ask(t.database, "SELECT '--' /* ; DROP TABLE ORDERS */") == "[('--',)]");
}

TEST_CASE("a function that can run away is unavailable or bounded") {
    Target t;
    t.refuses("SELECT printf('%.*c', 900000000, 'x')", "the function printf is not available");
    t.refuses("SELECT format('%.*c', 900000000, 'x')", "the function format is not available");
    t.refuses("SELECT zeroblob(900000000)", "the function zeroblob is not available");
    t.refuses("SELECT randomblob(900000000)", "the function randomblob is not available");
    t.refuses("SELECT sqlite_version()", "is not available");
    auto text = [](const char* letter) {  // a text of 524 288 bytes
        return std::string("(WITH RECURSIVE g(s, n) AS (SELECT '") + letter +
               "', 0 UNION ALL SELECT s || s, n + 1 FROM g WHERE n < 19) SELECT s FROM g ORDER BY n DESC LIMIT 1)";
    };
    t.refuses("SELECT instr(" + text("a") + ", " + text("a") + " || 'b')", "too long");
    t.refuses("SELECT replace(" + text("a") + ", substr(" + text("a") + ", 1, 1000), 'b')", "too long");
    t.refuses("SELECT trim(" + text("a") + ", " + text("b") + ")", "too long");
    t.refuses("SELECT replace(" + text("a") + ", 'a', 'bcdef')", "too long");
    t.refuses("SELECT 'a' LIKE '" + std::string(51, '%') + "'", "pattern too complex");
    CHECK(ask(t.database, "SELECT length(" + text("a") + ")") == "[(524288,)]");
}

TEST_CASE("time, memory and size of a query are bounded") {
    Target brief{.deadline = std::chrono::seconds(1)}, t;
    brief.refuses(runaway, "took longer than 1 s");
    brief.refuses("SELECT COUNT(*) FROM ORDERS a, ORDERS b, ORDERS c, ORDERS d, ORDERS e, ORDERS f", "took longer");
    t.refuses("WITH RECURSIVE n(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM n) SELECT MAX(s) FROM n", "too long");
    t.refuses("SELECT " + std::string(200'000, ' ') + "1", "too long");
    std::string deep = "1", compound = "SELECT 1", wide = "SELECT 1";
    for (int i = 0; i < 60; ++i) deep.insert(0, "(").append("+1)");
    for (int i = 0; i < 20; ++i) compound += " UNION ALL SELECT 1";
    for (int i = 0; i < 2000; ++i) wide += ",1";
    t.refuses("SELECT " + deep, "Expression tree is too large");
    t.refuses("SELECT " + std::string(5000, '(') + "1" + std::string(5000, ')'));
    t.refuses(compound, "too many terms in compound SELECT");
    t.refuses(wide, "too many columns");
    t.refuses("SELECT max(1,2,3,4,5,6,7,8,9)", "too many arguments");
    Pool pool{1};
    Database small(pool, SqlLimits{.deadline = test::limit, .memory = 4u << 20});
    auto hungry = ask(small,
                      "WITH RECURSIVE n(i, s) AS (SELECT 1, hex('" + std::string(5000, 'x') +
                          "') UNION ALL SELECT i + 1, s || i FROM n WHERE i < 100000) SELECT i FROM n ORDER BY s");
    CHECK(hungry == "refused: the query needed too much memory and was stopped: aggregate, or select less");
}

TEST_CASE("double quotes always mean names, in any encoding") {
    Target t;
    t.refuses("SELECT \"no such name\"", "no such column");
    t.refuses("SELECT * FROM ORDERS WHERE ORD_DATE = \"2024-01-01\"", "no such column");
    t.refuses("\xEF\xBC\xB3\xEF\xBC\xA5LECT 1");  // full-width letters
    t.refuses("\xFF\xFE"
              "SELECT 1");
    CHECK(ask(t.database, "\xEF\xBB\xBFSELECT 1") == "[(1,)]");  // a byte order mark is harmless
    CHECK(ask(t.database, "SELECT 'a\xFF'") == "[(X'61ff',)]");
}
