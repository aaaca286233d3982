// A database opened for writing: changes, refused statements, and calls that are all or nothing.
#include "engine/error.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/limit.hpp"
#include "tests/tools/sql_world.hpp"
#include "tools/sql/change.hpp"
#include "tools/standard.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/fsuid.h>
#include <unistd.h>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
void make_file(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    REQUIRE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(db);
}
constexpr auto shop =
    "CREATE TABLE item(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, price INT CHECK(price >= 0));"
    "CREATE TABLE sale(item INT NOT NULL REFERENCES item(id), n INT);"
    "CREATE TABLE log(text TEXT);"
    "CREATE TRIGGER note AFTER INSERT ON sale BEGIN INSERT INTO log VALUES ('sold ' || NEW.n); END;"
    "INSERT INTO item(name, price) VALUES ('cup', 5), ('pot', 20);";
struct Shop {
    test::Folder folder;
    const std::string path = folder.path("shop.db");
    Pool pool{2};
    std::unique_ptr<Database> database;
    explicit Shop(SqlLimits limits = {}) {
        make_file(path, shop);
        database = std::make_unique<Database>(pool, path, limits, SqlAccess::write);
    }
    std::string change(std::string sql) {
        try {
            return testing::await(database->change(std::move(sql)));
        } catch (const ToolError& e) { return std::string("refused: ") + e.what(); }
    }
    std::string ask(std::string sql) { return tools::ask(*database, std::move(sql)); }
    std::string items() { return ask("SELECT group_concat(name || price) FROM item"); }
};
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
}

TEST_CASE("rows are inserted, updated and deleted, and the answer says how many") {
    Shop s;
    CHECK(s.change("INSERT INTO item(name, price) VALUES ('jug', 9)") == "1 row was changed");
    CHECK(s.change("UPDATE item SET price = price + 1") == "3 rows were changed");
    CHECK(s.change("WITH dear AS (SELECT id FROM item WHERE price > 15) DELETE FROM item WHERE id IN dear") ==
          "1 row was changed");
    CHECK(s.change("UPDATE item SET price = 1 WHERE name = 'none'") == "0 rows were changed");
    CHECK(s.change("INSERT INTO item(name, price) VALUES ('tin', 2) RETURNING id, name") == "[(4, 'tin')]");
    CHECK(s.items() == "[('cup6,jug10,tin2',)]");
}
TEST_CASE("a change with a parameter is refused and changes nothing when no value is given for it") {
    Shop s;
    for (const auto* sql :
         {"INSERT INTO log VALUES (:text)", "INSERT INTO log VALUES ('a'); DELETE FROM log WHERE text = :text",
          "INSERT INTO log SELECT :text RETURNING text", "CREATE TABLE t AS SELECT :text AS a"})
        CHECK(s.change(sql) == "refused: the parameter :text has no value here: write the value itself into the SQL");
    CHECK(s.ask("SELECT COUNT(*) FROM log") == "[(0,)]");
}
TEST_CASE("tables, views and indexes are made and dropped, which the next call sees") {
    Shop s;
    CHECK(s.change("CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE); INSERT INTO t(b) VALUES (7), (8)") ==
          "done\n2 rows were changed");
    CHECK(s.ask("SELECT b FROM t") == "[(7,), (8,)]");
    CHECK(s.change("CREATE INDEX i ON t(b); CREATE UNIQUE INDEX u ON t(a, b); CREATE VIEW v AS SELECT b FROM t") ==
          "done\ndone\ndone");
    CHECK(s.ask("SELECT COUNT(*) FROM v") == "[(2,)]");
    CHECK(s.change("CREATE TABLE copy AS SELECT * FROM item") == "done");
    CHECK(s.ask("SELECT COUNT(*) FROM copy") == "[(2,)]");
    CHECK(s.change("DROP VIEW v; DROP INDEX i; DROP TABLE t; DROP TABLE copy") == "done\ndone\ndone\ndone");
    CHECK(contains(s.ask("SELECT * FROM t"), "no such table"));
}
TEST_CASE("the statements of a call are one transaction: an error in one undoes all") {
    Shop s;
    for (const auto* sql : {"DELETE FROM item WHERE name = 'cup'; INSERT INTO item(name, price) VALUES ('x', -1)",
                            "UPDATE item SET price = 0; SELEC 1", "DELETE FROM item; UPDATE nowhere SET a = 1",
                            "DROP TABLE log; INSERT INTO sale VALUES (99, 1)", "UPDATE item SET name = NULL",
                            "DELETE FROM item; ALTER TABLE item ADD COLUMN c"}) {
        CAPTURE(sql);
        CHECK(s.change(sql).starts_with("refused: "));
        CHECK(s.items() == "[('cup5,pot20',)]");
        CHECK(s.ask("SELECT COUNT(*) FROM log") == "[(0,)]");
    }
    std::string many;
    for (int i = 0; i < 21; ++i) many += "INSERT INTO log VALUES ('x');";
    CHECK(contains(s.change(many), "more than 20 statements: nothing was changed"));
    CHECK(s.ask("SELECT COUNT(*) FROM log") == "[(0,)]");
    CHECK(s.change("-- nothing\n;") == "refused: the statement is empty");
}
TEST_CASE("foreign keys hold, and existing triggers run") {
    Shop s;
    CHECK(s.change("INSERT INTO sale VALUES (1, 3)") == "1 row was changed");
    CHECK(s.ask("SELECT text FROM log") == "[('sold 3',)]");
    CHECK(contains(s.change("INSERT INTO sale VALUES (9, 3)"), "FOREIGN KEY constraint failed"));
    CHECK(contains(s.change("DELETE FROM item WHERE id = 1"), "FOREIGN KEY constraint failed"));
}
TEST_CASE("a change is counted when triggers make it instead of the statement") {
    Shop s;
    make_file(s.path,
              "CREATE VIEW goods AS SELECT name, price FROM item;"
              "CREATE TRIGGER put INSTEAD OF INSERT ON goods BEGIN"
              " INSERT INTO item(name, price) VALUES (NEW.name, NEW.price); INSERT INTO log VALUES (NEW.name); END;"
              "CREATE TRIGGER take INSTEAD OF DELETE ON goods BEGIN DELETE FROM item WHERE name = OLD.name; END;"
              "CREATE TRIGGER keep INSTEAD OF UPDATE ON goods BEGIN SELECT 1; END;");
    CHECK(s.change("INSERT INTO goods VALUES ('jug', 9)") == "2 rows were changed by triggers");
    CHECK(s.change("DELETE FROM goods WHERE name = 'cup'") == "1 row was changed by triggers");
    CHECK(s.change("UPDATE goods SET price = 1") == "0 rows were changed");
    CHECK(s.change("UPDATE item SET price = 1 WHERE name = 'jug'; DROP TABLE item") == "1 row was changed\ndone");
}
TEST_CASE("a statement about more than rows and tables of the file is refused in every form") {
    Shop s;
    const auto other = s.folder.path("other.db");
    for (const std::string& sql : {"ATTACH '" + other + "' AS o",
                                   "VACUUM INTO '" + other + "'",
                                   std::string("VACUUM"),
                                   std::string("PRAGMA writable_schema = 1"),
                                   std::string("PRAGMA journal_mode = OFF"),
                                   std::string("UPDATE sqlite_master SET sql = ''"),
                                   std::string("DELETE FROM sqlite_sequence"),
                                   std::string("INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)"),
                                   std::string("DROP TABLE sqlite_sequence"),
                                   std::string("CREATE TEMP TABLE t(a)"),
                                   std::string("CREATE TABLE temp.t(a)"),
                                   std::string("CREATE VIRTUAL TABLE f USING fts5(a)"),
                                   std::string("CREATE TRIGGER g AFTER INSERT ON item BEGIN DELETE FROM item; END"),
                                   std::string("DROP TRIGGER note"),
                                   std::string("ALTER TABLE item RENAME TO x"),
                                   std::string("BEGIN"),
                                   std::string("COMMIT"),
                                   std::string("ROLLBACK"),
                                   std::string("SAVEPOINT s"),
                                   std::string("REINDEX"),
                                   std::string("ANALYZE"),
                                   std::string("INSERT INTO log VALUES (load_extension('x'))"),
                                   std::string("INSERT INTO log VALUES (printf('%.*c', 900000000, 'x'))"),
                                   std::string("INSERT INTO log VALUES (zeroblob(900000000))"),
                                   std::string("UPDATE item SET price = 1; COMMIT"),
                                   std::string("DELETE FROM log; PRAGMA query_only = 0")}) {
        CAPTURE(sql);
        CHECK(s.change(sql).starts_with("refused: "));
        CHECK_FALSE(std::filesystem::exists(other));
    }
    CHECK(s.items() == "[('cup5,pot20',)]");
    CHECK(s.change("UPDATE item SET price = 6 WHERE id = 1") == "1 row was changed");  // the connection remains usable
}
TEST_CASE("a change is rolled back when it takes too long or grows too much") {
    Shop s(SqlLimits{.deadline = std::chrono::seconds(1)});
    const std::string endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
    CHECK(contains(s.change("DELETE FROM item; INSERT INTO log " + endless + "SELECT i FROM n WHERE i < 0"),
                   "took longer than 1 s"));
    CHECK(s.items() == "[('cup5,pot20',)]");
    Shop wide(SqlLimits{.deadline = test::limit, .memory = 512u << 20});
    const auto grown = wide.change("INSERT INTO log " + endless +
                                   "SELECT hex(hex(hex(hex(hex(hex(hex(hex('abcdefgh')))))))) FROM n LIMIT 100000");
    CHECK(contains(grown, "grow too much"));
    CHECK(wide.ask("SELECT COUNT(*) FROM log") == "[(0,)]");
}
TEST_CASE("a change fails with a sentence and changes nothing while another program writes") {
    Shop s;
    sqlite3* other = nullptr;
    REQUIRE(sqlite3_open(s.path.c_str(), &other) == SQLITE_OK);
    REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(contains(s.change("DELETE FROM item"), "another program is writing"));
    sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    CHECK(s.change("DELETE FROM item") == "2 rows were changed");
}
TEST_CASE("a change fails with a sentence and changes nothing while another program reads") {
    Shop s;
    sqlite3* other = nullptr;
    REQUIRE(sqlite3_open(s.path.c_str(), &other) == SQLITE_OK);
    REQUIRE(sqlite3_exec(other, "BEGIN; SELECT * FROM item", nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(s.change("DELETE FROM item") ==
          "refused: the database is being read elsewhere: nothing was changed, try it again later");
    CHECK(s.items() == "[('cup5,pot20',)]");
    sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    CHECK(s.change("DELETE FROM item") == "2 rows were changed");
}
namespace {
std::vector<sqlite3*> opened;  // all connections opened during the test below
int keep_opened(sqlite3* db, char**, const void*) {
    opened.push_back(db);
    return SQLITE_OK;
}
int refuse_rollback(void*, int action, const char* first, const char*, const char*, const char*) {
    return action == SQLITE_TRANSACTION && std::string_view(first) == "ROLLBACK" ? SQLITE_DENY : SQLITE_OK;
}
}
TEST_CASE("a connection is closed when its change cannot be rolled back") {
    Shop s;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&keep_opened));
    CHECK(s.change("UPDATE item SET price = 6 WHERE id = 1") == "1 row was changed");
    sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&keep_opened));
    REQUIRE(opened.size() == 1);
    sqlite3_set_authorizer(opened[0], &refuse_rollback, nullptr);
    CHECK(s.change("DELETE FROM item; SELEC 1").starts_with("refused: "));
    CHECK(s.items() == "[('cup6,pot20',)]");
    CHECK(s.change("UPDATE item SET price = 7 WHERE id = 1") == "1 row was changed");
    CHECK(s.items() == "[('cup7,pot20',)]");
}
namespace {
/// During its lifetime, this thread may read and not write the file, also as root.
struct OnlyReading {
    explicit OnlyReading(const std::filesystem::path& path) {
        using std::filesystem::perms;
        std::filesystem::permissions(path, perms(0444));
        std::filesystem::permissions(path.parent_path(), perms(0755));
        if (geteuid() == 0) setfsuid(65534);
    }
    OnlyReading(const OnlyReading&) = delete;
    ~OnlyReading() { setfsuid(geteuid()); }
};
}
TEST_CASE("a database is changed only if it was opened for writing, which needs a writable file") {
    Shop s;
    Database reading(s.pool, s.path);
    CHECK_FALSE(reading.writable());
    CHECK_THROWS_WITH_AS(testing::await(reading.change("DELETE FROM item")), doctest::Contains("reading only"), Error);
    CHECK(contains(ask(*s.database, "DELETE FROM item"), "this tool only reads"));  // by query() of a writable database
    CHECK(s.items() == "[('cup5,pot20',)]");
    const OnlyReading file(s.path);
    CHECK_THROWS_WITH_AS(Database(s.pool, s.path, {}, SqlAccess::write), doctest::Contains("may only be read"), Error);
    Database readable(s.pool, s.path);
    CHECK(ask(readable, "SELECT COUNT(*) FROM item") == "[(2,)]");
}
TEST_CASE("sql_db_query counts as a change for changing statements, and reads on a read-only connection") {
    Shop s;
    const auto tools = standard(*s.database);
    auto& query = *tools.find("sql_db_query");
    const auto changes = [&](const std::string& sql) { return query.changes({{"sql_query", sql}}); };
    for (const auto* sql :
         {"DELETE FROM item", "select 1; update item set price = 1",
          "/* */ WITH x AS (SELECT 1) INSERT INTO log SELECT 1", "DROP TABLE item", "explain delete from item"})
        CHECK(changes(sql));
    for (const auto* sql : {"SELECT * FROM item", "VACUUM", "PRAGMA x = 1", "ATTACH 'x' AS y", "nonsense", "",
                            "SELECT 'DELETE FROM item; DROP TABLE item'", "DELETE FROM item; VACUUM"})
        CHECK_FALSE(changes(sql));
    CHECK_FALSE(query.is_parallel());
    CHECK(tools.find("sql_db_schema")->is_parallel());
    const auto call = [&](const std::string& sql) {
        return testing::await(tools.call("sql_db_query", json{{"sql_query", sql}}.dump())).text;
    };
    CHECK(call("SELECT COUNT(*) FROM item") == "[(2,)]");
    CHECK(call("UPDATE item SET price = 7") == "2 rows were changed");
    CHECK(contains(call("VACUUM"), "VACUUM rewrites the database, and this tool does not do that"));
    CHECK(contains(call("UPDATE item SET price = 8; DROP TRIGGER note"), "DROP TRIGGER"));
    CHECK(s.items() == "[('cup7,pot7',)]");
    Database sample(s.pool);
    CHECK_FALSE(standard(sample).find("sql_db_query")->changes({{"sql_query", "DELETE FROM ORDERS"}}));
}
