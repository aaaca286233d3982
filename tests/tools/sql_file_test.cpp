#include "engine/error.hpp"
#include "tests/support/sentence.hpp"
#include "tests/tools/sql_world.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sys/fsuid.h>
#include <thread>
#include <unistd.h>
using namespace weft;
using namespace weft::tools;
namespace fs = std::filesystem;

namespace {
struct Folder {
    fs::path path = fs::temp_directory_path() / ("weft_sql_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    std::string with_bytes(const std::string& name, std::string_view bytes) const {
        std::ofstream(path / name, std::ios::binary) << bytes;
        return file(name);
    }
    std::string with_sql(const std::string& name, const std::string& sql) const {
        sqlite3* db = nullptr;
        REQUIRE(sqlite3_open(file(name).c_str(), &db) == SQLITE_OK);
        REQUIRE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
        sqlite3_close(db);
        return file(name);
    }
};
/// Makes a file with the row "kept" and the journal of a writer killed in its transaction.
std::string killed_writer(const Folder& folder, const std::string& name) {
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(folder.file("writer.db").c_str(), &db) == SQLITE_OK);
    REQUIRE(sqlite3_exec(db,
                         "CREATE TABLE t (a); INSERT INTO t VALUES ('kept'); PRAGMA cache_size = 1; BEGIN;"
                         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) "
                         "INSERT INTO t SELECT hex(zeroblob(1500)) FROM n",
                         nullptr, nullptr, nullptr) == SQLITE_OK);
    for (const std::string ending : {"", "-journal"})
        fs::copy(folder.file("writer.db" + ending), folder.file(name + ending));
    sqlite3_close(db);
    fs::remove(folder.file("writer.db"));
    return folder.file(name);
}
/// During its lifetime, this thread may read and not write the files of a folder, also as root.
struct OnlyReading {
    explicit OnlyReading(const fs::path& path) : folder(path) {
        for (const auto& entry : fs::directory_iterator(folder)) fs::permissions(entry, fs::perms(0444));
        fs::permissions(folder, fs::perms(0555));
        if (geteuid() == 0) setfsuid(65534);
    }
    OnlyReading(const OnlyReading&) = delete;
    ~OnlyReading() {
        setfsuid(geteuid());
        fs::permissions(folder, fs::perms(0755));
    }
    fs::path folder;
};
std::string refusal(const std::string& path) {
    Pool pool{1};
    return testing::sentence(Code::configuration, [&] { Database(pool, path); });
}
}

// shows A-29: the database comes from a file, which must be a database
TEST_CASE("an unsound database file is a configuration error in one sentence") {
    Folder folder;
    auto start = [](const std::string& path) { return "cannot use the database '" + path + "': "; };
    auto check = [&](const std::string& path, const std::string& why) {
        auto sentence = refusal(path);
        INFO(sentence);
        CHECK(sentence.starts_with(start(path) + why));
    };
    check(folder.file("missing.db"), "there is no such file");
    check("", "there is no such file");
    check(":memory:", "there is no such file");
    check("file:x.db?mode=rwc", "there is no such file");
    check(folder.path.string(), "it is not a file");
    check(folder.with_bytes("empty.db", ""), "it is empty");
    check(folder.with_bytes("text.db",
                            "a text file that is longer than the header of a database, which has one hundred "
                            "bytes, so that SQLite looks at them"),
          "it is not a SQLite database");
    std::string rows = "CREATE TABLE t (a); INSERT INTO t VALUES (1)";
    for (int i = 0; i < 200; ++i) rows += ", ('" + std::string(100, 'x') + "')";
    auto sound = folder.with_sql("sound.db", rows);
    CHECK(refusal(sound) == testing::nothing_thrown);
    std::ifstream in(sound, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    check(folder.with_bytes("cut.db", bytes.substr(0, 5000)), "");
    auto broken = bytes;
    for (std::size_t i = 4096; i < broken.size(); ++i) broken[i] = char(0xA5);
    check(folder.with_bytes("broken.db", broken), "it is damaged");
}

TEST_CASE("a database file is read and stays unchanged") {
    Folder folder;
    auto path = folder.with_sql("a.db",
                                "CREATE TABLE \"odd \"\"name\" (\"a b\" INTEGER, c TEXT REFERENCES p(x) NOT NULL, "
                                "PRIMARY KEY (\"a b\", c)); CREATE TABLE p (x TEXT UNIQUE, g AS (x || 1)); "
                                "CREATE VIEW v AS SELECT x AS y FROM p; INSERT INTO p VALUES ('caf\xC3\xA9');");
    auto before = fs::last_write_time(path);
    {
        Pool pool{2};
        Database database(pool, path);
        CHECK(testing::await(database.tables()) == "['\"odd \"\"name\"', 'p', 'v']");
        CHECK(schema_of(database, "odd \"name") ==
              "\"a b\" INTEGER\nc TEXT NOT NULL REFERENCES p(x)\nPRIMARY KEY (\"a b\", c)");
        CHECK(schema_of(database, "p") == "x TEXT\ng");
        CHECK(schema_of(database, "v") == "y TEXT");
        CHECK(ask(database, "SELECT y FROM v") == "[('caf\xC3\xA9',)]");
        CHECK(ask(database, "INSERT INTO p VALUES ('x')").starts_with("refused: INSERT changes the database"));
        CHECK(ask(database, "VACUUM INTO '" + folder.file("copy.db") + "'").starts_with("refused: "));
    }
    CHECK(fs::last_write_time(path) == before);
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a database with UTF-16 text, a hostile schema or tables made later is read") {
    Folder folder;
    auto wide = folder.with_sql("wide.db", "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a); "
                                           "INSERT INTO t VALUES ('caf\xC3\xA9'), (CAST(x'00d8' AS TEXT));");
    auto hostile = folder.with_sql("hostile.db",
                                   "CREATE TABLE t (a CHECK (printf('%d', a) <> 'x')); "
                                   "INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT zeroblob(900000000);"
                                   "CREATE VIEW w AS SELECT * FROM v");
    Pool pool{1};
    Database first(pool, wide), second(pool, hostile);
    auto text = ask(first, "SELECT a FROM t");
    CHECK(text.starts_with("[('caf\xC3\xA9',), ("));
    CHECK(ask(second, "SELECT a FROM t") == "[(1,)]");
    CHECK(ask(second, "SELECT * FROM w").starts_with("refused: the function zeroblob is not available"));
    folder.with_sql("wide.db", "CREATE TABLE later (b); INSERT INTO later VALUES (7);");
    CHECK(ask(first, "SELECT b FROM later") == "[(7,)]");
}

TEST_CASE("a file on a read-only disk is read, unless SQLite has to write first") {
    Folder folder;
    auto logged = folder.with_sql("logged.db",
                                  "PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    auto odd = folder.with_sql("100% #?.db", "PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (2)");
    sqlite3* open = nullptr;
    REQUIRE(sqlite3_open(folder.file("open.db").c_str(), &open) == SQLITE_OK);
    REQUIRE(sqlite3_exec(open, "PRAGMA journal_mode = wal; CREATE TABLE t (a)", nullptr, nullptr, nullptr) ==
            SQLITE_OK);
    fs::copy(folder.file("open.db"), folder.file("left.db"));
    fs::copy(folder.file("open.db-wal"), folder.file("left.db-wal"));
    sqlite3_close(open);
    const auto left = folder.file("left.db");
    const OnlyReading only(folder.path);
    Pool pool{1};
    for (const auto& [path, rows] : {std::pair{logged, "[(1,)]"}, std::pair{odd, "[(2,)]"}}) {
        Database database(pool, path);
        CHECK(testing::await(database.tables()) == "['t']");
        CHECK(ask(database, "SELECT a FROM t") == rows);
    }
    CHECK(refusal(left).find("its -wal file has changes that are not in it yet") != std::string::npos);
    CHECK_THROWS_WITH_AS(Database(pool, logged, {}, SqlAccess::write),
                         doctest::Contains("nothing can be written in its folder"), Error);
}

TEST_CASE("short values are read beside long values of a table") {
    Folder folder;
    auto path = folder.with_sql("big.db", "CREATE TABLE photo (id INTEGER, bytes BLOB, note TEXT); "
                                          "INSERT INTO photo VALUES (1, zeroblob(3000000), 'end'), (2, x'01', 'b');");
    Pool pool{1};
    Database database(pool, path);
    CHECK(ask(database, "SELECT id, note FROM photo WHERE id = 2") == "[(2, 'b')]");
    CHECK(ask(database, "SELECT COUNT(*), MIN(id) FROM photo") == "[(2, 1)]");
    CHECK(ask(database, "SELECT bytes FROM photo").starts_with("refused: "));
}

TEST_CASE("a replaced file gives its new rows, and a removed one gives an error") {
    Folder folder;
    const auto with_row = [&folder](const std::string& name, int row) {
        return folder.with_sql(name, "CREATE TABLE t (a); INSERT INTO t VALUES (" + std::to_string(row) + ")");
    };
    const auto path = with_row("a.db", 0), link = folder.file("link.db");
    fs::create_symlink(path, link);
    Pool pool{2};
    Database database(pool, path), linked(pool, link), written(pool, path, {}, SqlAccess::write);
    std::jthread another([&](std::stop_token stop) {
        while (!stop.stop_requested()) {
            const auto answer = ask(database, "SELECT COUNT(*) FROM t");
            // Between the check of the path and the read, the old file may be read with the journal of the new one.
            CHECK((answer == "[(1,)]" || answer.find("-journal file has a change") != answer.npos));
        }
    });
    for (int i = 1; i < 10; ++i) {
        fs::rename(with_row("next.db", i), path);
        for (auto* each : {&database, &linked, &written})
            CHECK(ask(*each, "SELECT a FROM t") == "[(" + std::to_string(i) + ",)]");
        CHECK(testing::await(written.change("UPDATE t SET a = -a")) == "1 row was changed");
        CHECK(ask(database, "SELECT a FROM t") == "[(-" + std::to_string(i) + ",)]");
    }
    another = {};
    with_row("other.db", 77);
    fs::remove(link);
    fs::create_symlink(folder.file("other.db"), link);
    CHECK(ask(linked, "SELECT a FROM t") == "[(77,)]");
    fs::remove(path);
    for (auto* each : {&database, &written})
        CHECK(testing::sentence(Code::configuration, [&] { ask(*each, "SELECT a FROM t"); }) ==
              "cannot use the database '" + path + "': there is no such file");
    CHECK_THROWS_WITH_AS(testing::await(written.change("DELETE FROM t")), doctest::Contains("no such file"), Error);
    CHECK_FALSE(fs::exists(path));
    with_row("a.db", 78);
    CHECK(ask(database, "SELECT a FROM t") == "[(78,)]");
}

TEST_CASE("a database is read when a query needs no missing collation or function") {
    Folder folder;
    const auto path = folder.file("foreign.db");
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    sqlite3_create_collation(db, "unicase", SQLITE_UTF8, nullptr,
                             [](void*, int n, const void* a, int m, const void* b) {
                                 return std::string_view(static_cast<const char*>(a), std::size_t(n))
                                     .compare(std::string_view(static_cast<const char*>(b), std::size_t(m)));
                             });
    sqlite3_create_function(
        db, "rev", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
        [](sqlite3_context* context, int, sqlite3_value** values) { sqlite3_result_value(context, values[0]); },
        nullptr, nullptr);
    REQUIRE(sqlite3_exec(db,
                         "CREATE TABLE deck (id INTEGER PRIMARY KEY, name TEXT COLLATE unicase);"
                         "CREATE INDEX by_name ON deck (name); INSERT INTO deck VALUES (1, 'Default');"
                         "CREATE TABLE made (a, b AS (rev(a)), CHECK (rev(a) <> '')); INSERT INTO made VALUES ('x');"
                         "CREATE TABLE plain (a); INSERT INTO plain VALUES (7)",
                         nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(db);
    Pool pool{1};
    Database database(pool, path);
    CHECK(testing::await(database.tables()) == "['deck', 'made', 'plain']");
    CHECK(schema_of(database, "deck") == "id INTEGER PRIMARY KEY\nname TEXT");
    CHECK(ask(database, "SELECT a FROM plain") == "[(7,)]");
    CHECK(ask(database, "SELECT name FROM deck WHERE id = 1") == "[('Default',)]");
    CHECK(ask(database, "SELECT id FROM deck ORDER BY name") ==
          "refused: SQL error: no such collation sequence: unicase");
}

TEST_CASE("rows are read when they break a rule of their table") {
    Folder folder;
    const auto path = folder.with_sql(
        "rules.db", "PRAGMA ignore_check_constraints = 1; CREATE TABLE t (a CHECK (a > 0), b, c);"
                    "INSERT INTO t VALUES (-1, NULL, 'x'); PRAGMA writable_schema = 1;"
                    "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (a CHECK (a > 0), b NOT NULL, c)'");
    const auto long_text = folder.with_sql("long.db",
                                           "CREATE TABLE t (a, b CHECK (length(b) > 1)); INSERT INTO t VALUES "
                                           "(1, hex(zeroblob(2000000)))");
    Pool pool{1};
    Database rules(pool, path), of_long_text(pool, long_text);
    CHECK(ask(rules, "SELECT * FROM t") == "[(-1, None, 'x')]");
    CHECK(ask(of_long_text, "SELECT a FROM t") == "[(1,)]");
}

TEST_CASE("a change of a killed writer is rolled back when the file is opened for writing, and else reported") {
    Folder folder;
    const auto left = killed_writer(folder, "left.db"), later = folder.with_sql("later.db", "CREATE TABLE t (a)");
    const auto cure = "its -journal file has a change to take back, which no reader may do: read it once with sqlite3";
    CHECK(refusal(left).find(cure) != std::string::npos);
    Pool pool{1};
    Database reading(pool, later);
    for (const std::string ending : {"", "-journal"})  // a program writes into the same file
        fs::copy_file(left + ending, later + ending, fs::copy_options::overwrite_existing);
    CHECK(ask(reading, "SELECT a FROM t") ==
          "refused: the database cannot be read: " + std::string(cure) + ", which does");
    {
        const OnlyReading only(folder.path);
        CHECK(refusal(left).find("here nothing can be written: copy both") != std::string::npos);
    }
    fs::permissions(left, fs::perms(0644));
    Database written(pool, left, {}, SqlAccess::write);
    CHECK(ask(written, "SELECT a FROM t") == "[('kept',)]");
    CHECK_FALSE(fs::exists(left + "-journal"));
    CHECK(refusal(left) == testing::nothing_thrown);
}
