// list_sql_tables and sql_db_schema name only tables that sql_db_query can read, in its form of names.
#include "engine/error.hpp"
#include "tests/support/folder.hpp"
#include "tests/tools/sql_world.hpp"
#include "tools/sql/change.hpp"
#include "tools/sql/names.hpp"
#include <doctest/doctest.h>
#include <sqlite3.h>
using namespace weft;
using namespace weft::tools;

namespace {
struct Shelf {
    test::Folder folder;
    const std::string path = folder.path("shelf.db");
    Pool pool{1};
    std::unique_ptr<Database> database;
    explicit Shelf(const std::string& sql, SqlAccess access = SqlAccess::read, SqlLimits limits = {}) {
        sqlite3* db = nullptr;
        REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
        REQUIRE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
        sqlite3_close(db);
        database = std::make_unique<Database>(pool, path, limits, access);
    }
    std::string tables() { return testing::await(database->tables()); }
    std::string ask(std::string sql) { return tools::ask(*database, std::move(sql)); }
    std::string schema(std::string table) { return schema_of(*database, std::move(table)); }
};
constexpr auto searched =
    "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note VALUES (1, 'red fox'), (2, 'red hen');"
    "CREATE VIRTUAL TABLE docs USING fts5(title, body); INSERT INTO docs VALUES ('a', 'red fox'), ('b', 'blue hen');"
    "CREATE VIRTUAL TABLE found USING fts5(text, content='note', content_rowid='id');"
    "INSERT INTO found(found) VALUES ('rebuild');"
    "CREATE VIRTUAL TABLE old USING fts4(body); INSERT INTO old VALUES ('red fox');"
    "CREATE VIRTUAL TABLE place USING rtree(id, x0, x1); INSERT INTO place VALUES (1, 0, 5), (2, 7, 9);";
bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
}

TEST_CASE("full-text and R-tree tables are listed without their internal tables, described and read") {
    Shelf shelf(searched);
    CHECK(shelf.tables() == "['docs', 'found', 'note', 'old', 'place']");
    CHECK(shelf.schema("docs") == "title\nbody");
    CHECK(shelf.schema("old") == "body");
    CHECK(contains(shelf.schema("place"), "x0"));
    CHECK(shelf.ask("SELECT title FROM docs WHERE docs MATCH 'red'") == "[('a',)]");
    CHECK(shelf.ask("SELECT title, bm25(docs) < 0, highlight(docs, 1, '<', '>') FROM docs WHERE docs MATCH 'hen' "
                    "ORDER BY rank") == "[('b', 1, 'blue <hen>')]");
    CHECK(shelf.ask("SELECT rowid, text FROM found WHERE found MATCH 'hen'") == "[(2, 'red hen')]");
    CHECK(shelf.ask("SELECT snippet(old) FROM old WHERE body MATCH 'fox'") == "[('red <b>fox</b>',)]");
    CHECK(shelf.ask("SELECT id FROM place WHERE x0 <= 8 AND x1 >= 8") == "[(2,)]");
    CHECK(contains(shelf.schema("docs_data"), "is of a virtual table, and not to be read; there are: docs, found"));
    for (const auto* sql : {"INSERT INTO docs(docs) VALUES ('rebuild')", "SELECT optimize(old) FROM old",
                            "SELECT fts3_tokenizer('simple')", "PRAGMA data_version"})
        CHECK(shelf.ask(sql).starts_with("refused: "));
}
TEST_CASE("a full-text table of a writable database is filled, and its internal tables are protected") {
    Shelf shelf(std::string(searched) + "CREATE TRIGGER search AFTER INSERT ON note BEGIN"
                                        " INSERT INTO found(rowid, text) VALUES (new.id, new.text); END;",
                SqlAccess::write);
    const auto change = [&](std::string sql) {
        try {
            return testing::await(shelf.database->change(std::move(sql)));
        } catch (const ToolError& e) { return std::string("refused: ") + e.what(); }
    };
    CHECK(change("INSERT INTO docs VALUES ('c', 'owl')") == "1 row was changed");
    CHECK(shelf.ask("SELECT title FROM docs WHERE docs MATCH 'owl'") == "[('c',)]");
    CHECK(change("INSERT INTO note VALUES (3, 'old owl')") == "1 row was changed");
    CHECK(shelf.ask("SELECT rowid, text FROM found WHERE found MATCH 'owl'") == "[(3, 'old owl')]");
    CHECK(change("DELETE FROM docs_data").starts_with("refused: "));
    CHECK(change("UPDATE place_node SET data = x'00'").starts_with("refused: "));
    CHECK(change("CREATE VIRTUAL TABLE f USING fts5(a)").starts_with("refused: "));
}
TEST_CASE("hits of FTS5 are marked, and its snippets begin with a sentence or have their hits in the middle") {
    Shelf shelf("CREATE VIRTUAL TABLE f USING fts5(head, body);"
                "INSERT INTO f VALUES ('a b', 'One two. A b a c, three four five six seven a eight b nine ten.');"
                "INSERT INTO f VALUES (NULL, 'no hit but d')");
    const auto of = [&](const std::string& what, const std::string& pattern) {
        return shelf.ask("SELECT " + what + " FROM f WHERE f MATCH '" + pattern + "'");
    };
    CHECK(of("highlight(f, 1, '<', '>')", "\"a b\" OR \"b a\"") ==
          "[('One two. <A b a> c, three four five six seven a eight b nine ten.',)]");
    CHECK(of("highlight(f, 0, '<', '>'), highlight(f, 2, '<', '>')", "body : a") == "[('a b', None)]");
    CHECK(of("highlight(f, 0, '<', '>')", "d") == "[(None,)]");
    CHECK(of("snippet(f, -1, '<', '>', '...', 4)", "a b") == "[('...<A> <b> <a> c...',)]");
    CHECK(of("snippet(f, -1, '<', '>', '...', 5)", "seven") == "[('...five six <seven> a eight...',)]");
    CHECK(of("snippet(f, 1, '<', '>', '...', 3)", "ten") == "[('...b nine <ten>.',)]");
    CHECK(of("snippet(f, 1, '<', '>', '~', 1)", "eight") == "[('~<eight>~',)]");
    CHECK(of("snippet(f, 0, '<', '>', '~', 9)", "seven") == "[('a b',)]");
    CHECK(of("snippet(f, 0, '<', '>', '~', 9)", "d") == "[(None,)]");
    for (const auto* wrong : {"snippet(f)", "highlight(f, 1)", "snippet(f, 9, '<', '>', '~', 9)"})
        CHECK(of(wrong, "a").starts_with("refused: SQL error"));
}
TEST_CASE("hits of FTS5 are marked in linear time when a row has a hundred thousand of them") {
    // SQLite's own functions need minutes for the first one.
    Shelf shelf("CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES (replace(hex(zeroblob(50000)), '0', 'a '))",
                SqlAccess::read, {.deadline = std::chrono::seconds(60)});
    CHECK(shelf.ask("SELECT snippet(f, 0, '<', '>', '...', 3) FROM f WHERE f MATCH 'a'") == "[('<a> <a> <a>...',)]");
    CHECK(shelf.ask("SELECT length(highlight(f, 0, '<', '>')) FROM f WHERE f MATCH 'a'") == "[(400000,)]");
    const auto too_long = shelf.ask("SELECT length(highlight(f, 0, '<', a)) FROM f WHERE f MATCH 'a'");
    CHECK(contains(too_long, "too long"));
    Shelf blanks("CREATE VIRTUAL TABLE f USING fts5(a, tokenize='trigram');"
                 "INSERT INTO f VALUES (replace(hex(zeroblob(100000)), '0', ' '))");
    CHECK(blanks.ask("SELECT length(snippet(f, 0, '', '', '', 9)) FROM f WHERE f MATCH '\"   \"'") == "[(11,)]");
}
TEST_CASE("a view of a full-text or an R-tree table is listed, described and read") {
    Shelf shelf(
        std::string(searched) +
        "CREATE VIEW red AS SELECT title, highlight(docs, 1, '<', '>') AS body FROM docs WHERE docs MATCH 'red';"
        "CREATE VIEW near AS SELECT id FROM place WHERE x0 <= 1; CREATE VIEW lost AS SELECT optimize(old) FROM old;"
        "CREATE VIEW pages AS SELECT * FROM dbstat;");
    CHECK(shelf.tables() == "['docs', 'found', 'near', 'note', 'old', 'place', 'red']");
    CHECK(shelf.schema("near") == "id INT");
    CHECK(shelf.ask("SELECT * FROM red") == "[('a', '<red> fox')]");
    CHECK(shelf.ask("SELECT id FROM near") == "[(1,)]");
    for (const auto* view : {"lost", "pages"})
        CHECK(shelf.ask("SELECT * FROM " + std::string(view)).starts_with("refused: "));
}
TEST_CASE("a full-text table over a view of itself is refused without endless recursion") {
    Shelf shelf("CREATE VIRTUAL TABLE f USING fts5(a, content='v'); CREATE VIRTUAL TABLE g USING fts5(a, content='w');"
                "CREATE VIEW v AS SELECT rowid, a FROM g; CREATE VIEW w AS SELECT rowid, a FROM f;"
                "INSERT INTO f(rowid, a) VALUES (1, 'red')");
    for (const auto* sql : {"SELECT * FROM f", "SELECT * FROM v", "SELECT a FROM f WHERE f MATCH 'red'"})
        CHECK(shelf.ask(sql).starts_with("refused: "));
}
TEST_CASE("a schema is read, listed and changed when it calls functions of JSON") {
    Shelf shelf("CREATE TABLE deed(body TEXT CHECK (json_valid(body)), id INT AS (json_extract(body, '$.id')) STORED,"
                " name AS (body ->> '$.name'), made AS (date('2024-01-02')), low AS (lower(json_quote('A'))));"
                "CREATE INDEX by_id ON deed(json_extract(body, '$.id'));"
                "CREATE INDEX some ON deed(id) WHERE json_type(body, '$.name') = 'text';"
                "CREATE VIEW all_deeds AS SELECT json_group_array(json(body)) AS bodies FROM deed;"
                "CREATE TRIGGER note AFTER INSERT ON deed BEGIN"
                " UPDATE deed SET body = json_set(new.body, '$.seen', 1) WHERE rowid = new.rowid; END;"
                "CREATE VIEW named AS SELECT rowid, name FROM deed;"
                "CREATE VIRTUAL TABLE search USING fts5(name, content='named', content_rowid='rowid');"
                "INSERT INTO deed(body) VALUES ('{\"id\":1,\"name\":\"fox\"}');"
                "INSERT INTO search(search) VALUES ('rebuild');",
                SqlAccess::write);
    CHECK(shelf.tables() == "['all_deeds', 'deed', 'named', 'search']");
    CHECK(contains(shelf.schema("deed"), "id INT"));
    CHECK(shelf.ask("SELECT id, name, made, low FROM deed") == "[(1, 'fox', '2024-01-02', '\"a\"')]");
    CHECK(shelf.ask("SELECT name FROM deed WHERE json_extract(body, '$.id') = 1") == "[('fox',)]");
    CHECK(shelf.ask("SELECT bodies FROM all_deeds") == R"([('[{"id":1,"name":"fox","seen":1}]',)])");
    CHECK(shelf.ask("SELECT name FROM search WHERE search MATCH 'fox'") == "[('fox',)]");
    CHECK(testing::await(shelf.database->change(R"(INSERT INTO deed(body) VALUES ('{"id":2}'))")) ==
          "1 row was changed");
    CHECK(testing::await(shelf.database->change("CREATE TABLE later(a); UPDATE deed SET body = '{}' WHERE id = 1"))
              .starts_with("done"));
    CHECK(shelf.ask("SELECT body, id FROM deed ORDER BY rowid") == R"([('{}', None), ('{"id":2,"seen":1}', 2)])");
    CHECK(shelf.ask("SELECT json_patch('{}', '{}')").starts_with("refused: the function json_patch"));
}
TEST_CASE("a schema is refused when it or a view in it calls a function with access beyond the database") {
    const auto answer = [](const std::string& shape, const std::string& hostile) {
        try {
            Shelf shelf(shape + "; PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = '" + hostile + "'");
            return shelf.ask("SELECT * FROM t");
        } catch (const Error& error) { return std::string("refused: ") + error.what(); }
    };
    for (const std::string call : {"load_extension(''x'')", "fts3_tokenizer(''simple'')", "readfile(''/etc/passwd'')",
                                   "edit(''x'')", "writefile(''x'', ''y'')", "json_array(load_extension(''x''))"}) {
        CAPTURE(call);
        const auto column = "CREATE TABLE t(a, b AS (" + call + "))",
                   view = "CREATE VIEW t AS SELECT " + call + " AS a";
        CHECK(answer("CREATE TABLE t(a, b AS (1))", column).starts_with("refused: "));
        CHECK(answer("CREATE VIEW t AS SELECT 1", view).starts_with("refused: "));
    }
    Shelf shelf("CREATE TABLE t(a); PRAGMA writable_schema = 1;"
                "UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a CHECK (load_extension(''x'')))'",
                SqlAccess::write);
    CHECK(shelf.ask("SELECT * FROM t") == "[]");
    CHECK_THROWS_WITH_AS(testing::await(shelf.database->change("INSERT INTO t VALUES (1)")),
                         doctest::Contains("not authorized"), ToolError);
}
TEST_CASE("the list of functions for schemas names all that SQLite does not call harmless") {
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(":memory:", &db) == SQLITE_OK);
    sqlite3_stmt* statement = nullptr;  // 0x200000: harmless, 0x80000: never in a schema
    REQUIRE(sqlite3_prepare_v2(db,
                               "SELECT DISTINCT name FROM pragma_function_list WHERE flags & 0x280000 = 0"
                               " AND name NOT IN ('->', '->>') AND name NOT GLOB 'json*'",
                               -1, &statement, nullptr) == SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const std::string name(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
        CAPTURE(name);
        CHECK((name.starts_with("fts5") || name.starts_with("rtree") || name.starts_with("geopoly") ||
               contains("bm25 highlight match matchinfo offsets optimize snippet", name)));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
}
TEST_CASE("an unreadable virtual table or view is left out of lists, and a query on it gives the reason") {
    Shelf shelf(
        "CREATE TABLE vec(a); CREATE TABLE vec_items_info(a); CREATE TABLE vec_other(a); CREATE TABLE t(a);"
        "CREATE VIEW fine AS SELECT a FROM t; CREATE VIEW big AS SELECT zeroblob(900000000) AS z;"
        "CREATE VIEW gone AS SELECT * FROM t; PRAGMA writable_schema = 1;"
        "INSERT INTO sqlite_schema VALUES ('table', 'vec_items', 'vec_items', 0, "
        "'CREATE VIRTUAL TABLE vec_items USING vec0(a)');"
        "INSERT INTO sqlite_schema VALUES ('table', 'stat', 'stat', 0, 'CREATE VIRTUAL TABLE stat USING dbstat');"
        "UPDATE sqlite_schema SET sql = 'CREATE VIEW gone AS SELECT * FROM nowhere' WHERE name = 'gone';");
    CHECK(shelf.tables() == "['fine', 't', 'vec', 'vec_other']");
    CHECK(contains(shelf.schema("vec_items"), "is of a virtual table, and not to be read"));
    CHECK(contains(shelf.schema("big"), "the view 'big' cannot be read: the function zeroblob is not available"));
    CHECK(contains(shelf.schema("gone"), "no such table"));
    CHECK(shelf.ask("SELECT * FROM stat").starts_with("refused: "));
    const auto there = "; there are: fine, t, vec, vec_other";
    CHECK(shelf.ask("SELECT * FROM absent") == std::string("refused: SQL error: no such table: absent") + there);
    CHECK(shelf.schema("absent") == std::string("refused: there is no table 'absent'") + there);
    CHECK(shelf.ask("SELECT COUNT(*) FROM fine") == "[(0,)]");
}
constexpr auto quoting =
    "CREATE TABLE job(id INTEGER PRIMARY KEY, state TEXT); INSERT INTO job VALUES (1, 'open'), (2, 'shut');"
    "CREATE TABLE seen(job INTEGER, state TEXT);"
    "CREATE VIEW open_job AS SELECT id FROM job WHERE state = \"open\";"
    "CREATE TRIGGER on_job AFTER INSERT ON job WHEN new.state = \"open\" BEGIN"
    " INSERT INTO seen VALUES (new.id, \"fresh\"); END;";
TEST_CASE("a view and a trigger may have a text in double quotes, which is a name in a query") {
    Shelf shelf(quoting, SqlAccess::write);
    CHECK(shelf.tables() == "['job', 'open_job', 'seen']");
    CHECK(shelf.schema("open_job") == "id INTEGER");
    CHECK(shelf.ask("SELECT id FROM open_job") == "[(1,)]");
    CHECK(contains(shelf.ask("SELECT id FROM job WHERE state = \"open\""), "no such column: open; in double quotes"));
    CHECK(contains(shelf.ask("SELECT absent FROM open_job"), "no such column: absent"));
    CHECK(contains(shelf.ask("SELECT \"absent\" FROM open_job"), "; open_job has: id"));
    CHECK(contains(shelf.ask("SELECT * FROM \"absent\""), "; there are: job, open_job, seen"));
    CHECK(testing::await(shelf.database->change("INSERT INTO job VALUES (3, 'open')")).starts_with("1 row"));
    CHECK(shelf.ask("SELECT * FROM seen") == "[(3, 'fresh')]");
    CHECK(shelf.ask("SELECT id FROM open_job") == "[(1,), (3,)]");
}
TEST_CASE("names are written in the form of a query, and read in the forms of models") {
    Shelf shelf("CREATE TABLE \"order\" (\"group\" INT, \"a b\" TEXT, \"2nd\" TEXT, plain TEXT, \"q\"\"q\" TEXT);"
                "CREATE TABLE \"order details\" (a INT REFERENCES \"order\"(\"group\"));");
    CHECK(shelf.tables() == R"(['"order"', '"order details"'])");
    const auto columns = "\"group\" INT\n\"a b\" TEXT\n\"2nd\" TEXT\nplain TEXT\n\"q\"\"q\" TEXT";
    for (const auto* name : {"order", "\"order\"", "`order`", "[order]", "'ORDER'", "main.order", " \"order\" ;"})
        CHECK(shelf.schema(name) == columns);
    CHECK(shelf.schema("\"order details\"") == "a INT REFERENCES \"order\"(\"group\")");
    CHECK(shelf.ask("SELECT x FROM [order]") ==
          "refused: SQL error: no such column: x; \"order\" has: \"group\", \"a b\", \"2nd\", plain, \"q\"\"q\"");
    CHECK(query_name("caf\xC3\xA9") == "caf\xC3\xA9");
    CHECK(query_name("") == "\"\"");
    CHECK(module_of("CREATE VIRTUAL TABLE \"using x\" USING fts5(a)") == "fts5");
    CHECK(module_of("CREATE TABLE t(a)").empty());
}
TEST_CASE("a key of several columns is a separate line, in the key's order") {
    Shelf shelf("CREATE TABLE line (pos INT, \"order\" INT, note TEXT, PRIMARY KEY (\"order\", pos)) WITHOUT ROWID;"
                "CREATE TABLE part (id INTEGER PRIMARY KEY, o INT, p INT, other INT REFERENCES part, x INT, y INT,"
                " FOREIGN KEY (o, p) REFERENCES line (\"order\", pos), FOREIGN KEY (y, x) REFERENCES line);");
    CHECK(shelf.schema("line") == "pos INT NOT NULL\n\"order\" INT NOT NULL\nnote TEXT\nPRIMARY KEY (\"order\", pos)");
    CHECK(shelf.schema("part") ==
          "id INTEGER PRIMARY KEY\no INT\np INT\nother INT REFERENCES part\nx INT\ny INT\n"
          "FOREIGN KEY (o, p) REFERENCES line(\"order\", pos)\nFOREIGN KEY (y, x) REFERENCES line");
}
TEST_CASE("a schema of 500 tables is cut, and names a query for the rest") {
    std::string sql;
    for (int i = 0; i < 500; ++i)
        sql += "CREATE TABLE \"Table number " + std::to_string(1000 + i) + " with a long name of its own\"(a);";
    Shelf shelf(sql);
    const auto tables = shelf.tables();
    CHECK(tables.size() < 18'000);
    CHECK(contains(tables, " of 500 tables are shown; sql_db_query gives the rest: SELECT name FROM sqlite_schema"));
    const auto begin = tables.rfind("SELECT name");
    const auto rest = shelf.ask(tables.substr(begin, tables.rfind(']') - begin));
    const auto last = tables.rfind("Table number ", begin - 1);
    CHECK(contains(rest, "Table number 1499"));
    CHECK(rest.starts_with("[('Table number "));
    CHECK(last != tables.npos);
    CHECK(contains(shelf.schema("nothing"), ", ... (500 in all)"));
}
