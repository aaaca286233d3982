// Short SQL that grows without end when SQLite compiles it: WITH that doubles, in every way.
#include "engine/asio.hpp"
#include "engine/spawn.hpp"
#include "tests/support/folder.hpp"
#include "tests/tools/sql_world.hpp"
#include "tools/sql/memory.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <sqlite3.h>
using namespace weft;
using namespace weft::tools;

namespace {
constexpr std::size_t megabyte = 1u << 20;
/// Returns a number of tables of WITH, each of which names the one before it at #.
std::string doubling(const std::string& part, int times = 30) {
    std::string sql = "WITH a0(x) AS (SELECT 1)";
    for (int i = 1; i <= times; ++i) {
        auto next = part;
        for (auto at = next.find('#'); at != next.npos; at = next.find('#'))
            next.replace(at, 1, "a" + std::to_string(i - 1));
        sql += ", a" + std::to_string(i) + "(x) AS (" + next + ")";
    }
    return sql + " SELECT max(x) FROM a" + std::to_string(times);
}
const std::string doublings[] = {"SELECT a.x FROM # a, # b",
                                 "SELECT (SELECT x FROM #) + (SELECT x FROM #)",
                                 "SELECT x FROM # UNION ALL SELECT x FROM #",
                                 "SELECT x FROM # a WHERE x IN #",
                                 "SELECT x FROM # a WHERE EXISTS (SELECT 1 FROM # b WHERE a.x = b.x)",
                                 "SELECT x + x FROM #"};
}

// shows B-A08
TEST_CASE("a query growing at compile time is refused for its memory, in any way of growth") {
    REQUIRE(SqlMemory::is_asked());
    Pool pool{1};
    Database database(pool, SqlLimits{.deadline = std::chrono::hours(1), .memory = 4 * megabyte});
    const auto before = sqlite3_memory_used();
    for (const auto& part : doublings) {
        CAPTURE(part);
        CHECK(ask(database, doubling(part)) ==
              "refused: the query needed too much memory and was stopped: aggregate, or select less");
        CHECK(ask(database, "SELECT COUNT(*) FROM ORDERS") == "[(34,)]");
    }
    CHECK(sqlite3_memory_used() - before < std::int64_t(megabyte));
}
TEST_CASE("a query growing at compile time is stopped at its deadline, and by a cancelled run") {
    Pool pool{1};
    Database late(pool, SqlLimits{.deadline = std::chrono::milliseconds(50), .memory = 1000 * megabyte});
    CHECK(ask(late, doubling(doublings[0])) ==
          "refused: the query took longer than 0.05 s and was stopped: make it simpler");
    Database database(pool, SqlLimits{.deadline = std::chrono::hours(1), .memory = 1000 * megabyte});
    asio::io_context io;
    asio::cancellation_signal cancel;
    std::exception_ptr error;
    auto handler = [&](std::exception_ptr e, std::string) { error = e; };
    spawn(io.get_executor(), database.query(doubling(doublings[0])),
          asio::bind_cancellation_slot(cancel.slot(), handler));
    io.poll();  // the pool has the query now
    asio::post(io, [&] { cancel.emit(asio::cancellation_type::terminal); });
    io.run();
    REQUIRE(error);
    CHECK_THROWS_AS(std::rethrow_exception(error), boost::system::system_error);
    CHECK(ask(database, "SELECT 1") == "[(1,)]");
}
TEST_CASE("a change growing at compile time is refused, and changes nothing") {
    test::Folder folder;
    const auto path = folder.path("a.db");
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    REQUIRE(sqlite3_exec(db, "CREATE TABLE t(x); INSERT INTO t VALUES (1)", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(db);
    Pool pool{1};
    Database database(pool, path, SqlLimits{.deadline = std::chrono::hours(1), .memory = 4 * megabyte},
                      SqlAccess::write);
    const auto change = [&](std::string sql) {
        try {
            return testing::await(database.change(std::move(sql)));
        } catch (const ToolError& e) { return std::string("refused: ") + e.what(); }
    };
    for (const auto* verb : {"INSERT INTO t ", "CREATE TABLE u AS "})
        CHECK(change("DELETE FROM t; " + (verb + doubling(doublings[0]))).find("too much memory") != std::string::npos);
    CHECK(ask(database, "SELECT x FROM t") == "[(1,)]");
    CHECK(change("CREATE VIEW v AS " + doubling(doublings[0])) == "done");
    CHECK(ask(database, "SELECT * FROM v").find("too much memory") != std::string::npos);
    CHECK(testing::await(database.tables()) == "['t']");  // unreadable tables are not listed
    CHECK(schema_of(database, "v") == "refused: the view 'v' cannot be read: it needs too much memory");
    CHECK(change("INSERT INTO t VALUES (2)") == "1 row was changed");
}
