#include "engine/asio.hpp"
#include "engine/spawn.hpp"
#include "tests/tools/sql_world.hpp"
#include "tools/standard.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <thread>
using namespace weft;
using namespace weft::tools;

namespace {
struct Sample {
    Pool pool{2};
    Database database{pool};
};
std::string quarter(int n) {
    auto month = [](int m) { return (m < 10 ? "0" : "") + std::to_string(m); };
    return "SELECT SUM(ORD_AMOUNT) FROM ORDERS WHERE ORD_DATE BETWEEN '2024-" + month(3 * n - 2) + "-01' AND '2024-" +
           month(3 * n) + "-31'";
}
}

TEST_CASE("the sample database gives its known answers") {
    Sample s;
    CHECK(ask(s.database, quarter(1)) == "[(5500,)]");
    CHECK(ask(s.database, quarter(2)) == "[(17200,)]");
    CHECK(ask(s.database, quarter(3)) == "[(47100,)]");
    CHECK(ask(s.database, quarter(4)) == "[(2800,)]");
    CHECK(ask(s.database,
              "SELECT (SELECT COUNT(*) FROM AGENTS), (SELECT COUNT(*) FROM CUSTOMER), COUNT(*) FROM ORDERS") ==
          "[(12, 25, 34)]");
    CHECK(ask(s.database, "SELECT strftime('%Y', ORD_DATE) AS y, SUM(ORD_AMOUNT) FROM ORDERS GROUP BY y;") ==
          "[('2024', 72600)]");
}

TEST_CASE("values are written as Python writes them") {
    Sample s;
    CHECK(ask(s.database, "SELECT AGENT_NAME, COMMISSION, COUNTRY FROM AGENTS WHERE AGENT_CODE = 'A003'") ==
          "[('Alex ', 0.13, '')]");
    CHECK(ask(s.database, "SELECT NULL, 1.0, -2, 1e300, 9e999, 'it''s', 'say \"it''s\"', 'a\\b\nc'") ==
          R"([(None, 1.0, -2, 1e+300, inf, "it's", 'say "it\'s"', 'a\\b\nc')])");
    CHECK(ask(s.database, "SELECT x'00ff', CAST(x'61ff' AS TEXT), CAST(x'c3a9' AS TEXT), char(27, 7, 155)") ==
          "[(X'00ff', X'61ff', '\xC3\xA9', '\\x1b\\x07\\x9b')]");
    CHECK(ask(s.database, "SELECT 1 WHERE 0") == "[]");
    CHECK(ask(s.database, "-- a comment first\nSELECT 1 AS \"one\" /* and after */ ; -- end") == "[(1,)]");
}

TEST_CASE("usual queries work: joins, views of time, windows, expressions") {
    Sample s;
    CHECK(ask(s.database,
              "SELECT a.AGENT_NAME, SUM(o.ORD_AMOUNT) AS t FROM ORDERS o JOIN AGENTS a USING (AGENT_CODE) "
              "GROUP BY a.AGENT_CODE ORDER BY t DESC LIMIT 2") == "[('Santakumar', 17000), ('Mukesh', 12700)]");
    CHECK(ask(s.database,
              "WITH q AS (SELECT (CAST(substr(ORD_DATE, 6, 2) AS INTEGER) + 2) / 3 AS n, ORD_AMOUNT AS a FROM "
              "ORDERS) SELECT n, SUM(a), SUM(a) - LAG(SUM(a)) OVER (ORDER BY n) FROM q GROUP BY n") ==
          "[(1, 5500, None), (2, 17200, 11700), (3, 47100, 29900), (4, 2800, -44300)]");
    CHECK(ask(s.database,
              "SELECT ROUND(11700 * 100.0 / 5500, 2), UPPER('a') || TRIM('  b ') || TRIM('xxcx', 'x'), "
              "INSTR('abc', 'c'), REPLACE('aba', 'a', 'xy'), LENGTH('abc')") == "[(212.73, 'Abc', 3, 'xybxy', 3)]");
    CHECK(ask(s.database, "SELECT COUNT(*) FROM (SELECT DISTINCT WORKING_AREA FROM AGENTS)") == "[(9,)]");
    CHECK(ask(s.database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1") ==
          "[('AGENTS',), ('CUSTOMER',), ('ORDERS',)]");
    CHECK(ask(s.database, "SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]'), COUNT(*) FROM json_each('[1, 2]')") ==
          "[(2, 2)]");
    CHECK(ask(s.database, "VALUES (1), (2)") == "[(1,), (2,)]");
}

// shows B-A04: schemas come from the opened database
// shows B-A09: a table's name is checked, and a schema tells keys
// shows A-05, A-06
TEST_CASE("tables are listed, and a schema has types, keys and references") {
    Sample s;
    CHECK(testing::await(s.database.tables()) == "['AGENTS', 'CUSTOMER', 'ORDERS']");
    auto orders = "ORD_NUM NUMBER(6,0) NOT NULL PRIMARY KEY\nORD_AMOUNT NUMBER(12,2) NOT NULL\n"
                  "ADVANCE_AMOUNT NUMBER(12,2) NOT NULL\nORD_DATE DATE NOT NULL\n"
                  "CUST_CODE VARCHAR2(6) NOT NULL REFERENCES CUSTOMER\nAGENT_CODE CHAR(6) NOT NULL REFERENCES AGENTS\n"
                  "ORD_DESCRIPTION VARCHAR2(60) NOT NULL";
    CHECK(schema_of(s.database, "ORDERS") == orders);
    CHECK(schema_of(s.database, " `orders`; ") == orders);
}

// shows B-A10
TEST_CASE("a model's mistake is an error that lists the possible names") {
    Sample s;
    CHECK(schema_of(s.database, "ORDER") == "refused: there is no table 'ORDER'; there are: AGENTS, CUSTOMER, ORDERS");
    CHECK(schema_of(s.database, "") == "refused: there is no table ''; there are: AGENTS, CUSTOMER, ORDERS");
    CHECK(schema_of(s.database, "x'); DROP TABLE ORDERS; --").starts_with("refused: there is no table"));
    CHECK(ask(s.database, "SELECT * FROM SALES") ==
          "refused: SQL error: no such table: SALES; there are: AGENTS, CUSTOMER, ORDERS");
    CHECK(ask(s.database, "SELECT AMOUNT FROM ORDERS") ==
          "refused: SQL error: no such column: AMOUNT; ORDERS has: ORD_NUM, ORD_AMOUNT, ADVANCE_AMOUNT, ORD_DATE, "
          "CUST_CODE, AGENT_CODE, ORD_DESCRIPTION");
    CHECK(ask(s.database, "SELECT 1 FROM AGENTS WHERE COUNTRY = \"it's\"")
              .starts_with("refused: SQL error: no such column: it's; in double quotes it is a name, and a text is "
                           "written 'it''s'; AGENTS has: AGENT_CODE, "));
    CHECK(ask(s.database, "SELECT FROM WHERE") == "refused: SQL error: near \"FROM\": syntax error");
    CHECK(ask(s.database, "") == "refused: the query is empty: write one SELECT");
    CHECK(ask(s.database, " -- nothing") == "refused: the query is empty: write one SELECT");
}

TEST_CASE("a query with a parameter is refused by its name when nothing gives it a value") {
    Sample s;
    const auto refused = [](const std::string& name) {
        return "refused: the parameter " + name + " has no value here: write the value itself into the SQL";
    };
    for (const auto* name : {"?", "?3", ":code", "$1", "$code", "@code"})
        CHECK(ask(s.database, std::string("SELECT * FROM AGENTS WHERE AGENT_CODE = ") + name) == refused(name));
    CHECK(ask(s.database, "SELECT ?, :code") == refused(":code"));
    CHECK(ask(s.database, "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?") == refused("?"));
    CHECK(ask(s.database, "SELECT ?11") == refused("?"));
    CHECK(ask(s.database, "SELECT '?', ':code' -- ?") == "[('?', ':code')]");
}

TEST_CASE("many rows and long rows are cut, with a mark") {
    Pool pool{1};
    Database few(pool, SqlLimits{.rows = 3, .bytes = 100});
    CHECK(ask(few, "SELECT ORD_NUM FROM ORDERS ORDER BY 1") ==
          "[(200100,), (200101,), (200102,)]\n[truncated: 3 rows are shown, the answer has more; ask for fewer rows or "
          "columns, or aggregate]");
    CHECK(ask(few, "SELECT 1 UNION SELECT 2 UNION SELECT 3") == "[(1,), (2,), (3,)]");
    auto wide = ask(few, "SELECT hex(zone.a) FROM (SELECT '" + std::string(60, 'x') + "' AS a) AS zone");
    CHECK(wide.size() < 250);
    CHECK(wide.find("...]\n[truncated: 1 row is shown, the answer has a longer one") != std::string::npos);
    auto two = ask(few, "SELECT '" + std::string(60, 'x') + "' FROM ORDERS");
    CHECK(two.find("xx',)]\n[truncated: 1 row is shown, the answer has more") != std::string::npos);
}

TEST_CASE("the bundled tools are one registry, and a question is answered through it") {
    Sample s;
    auto tools = standard(s.database);
    CHECK(tools.all().size() == 9);
    CHECK(tools.all().front()->name() == "list_sql_tables");
    auto call = [&](std::string name, std::string arguments) {
        return testing::await(tools.call(std::move(name), std::move(arguments)));
    };
    CHECK(call("list_sql_tables", "").text == "['AGENTS', 'CUSTOMER', 'ORDERS']");
    CHECK(call("sql_db_schema", R"({"table_name": "AGENTS"})")
              .text.starts_with("AGENT_CODE CHAR(6) NOT NULL PRIMARY KEY\n"));
    CHECK(call("sql_db_query", R"({"sql_query": "SELECT SUM(ORD_AMOUNT) FROM ORDERS"})").text == "[(72600,)]");
    CHECK(call("math_calculator", R"({"expression": "(17200 - 5500) / 5500 * 100"})").text == "212.72727272727275");
    CHECK(call("get_country_capitals", R"({"country": "spain"})").text == "Madrid");
    auto wrong = call("sql_db_query", R"({"sql_query": "DROP TABLE ORDERS"})");
    CHECK(!wrong.ok);
    CHECK(wrong.text.starts_with("Error: "));
    CHECK(call("sql_db_query", R"({"query": "SELECT 1"})").text ==
          "Error: wrong arguments for sql_db_query: arguments.sql_query: missing. Expected: {\"sql_query\": string}");
}
TEST_CASE("a tool that needs permission is listed after the others, and without it names its need") {
    Sample s;
    const auto with = standard(s.database, {.web_hosts = "example.org"});
    CHECK(with.all().size() == 10);
    CHECK(with.all().back()->name() == "http_get");
    CHECK(with.all().back()->is_parallel());
    CHECK(standard(s.database).find("http_get") == nullptr);
    CHECK(needs("http_get") == "http_get reads only from hosts that are named");
    CHECK(needs("math_calculator").empty());
    CHECK(needs("").empty());
    CHECK_THROWS_AS(standard(s.database, {.web_hosts = ","}), Error);
}

TEST_SUITE_BEGIN("threads");

TEST_CASE("a cancelled run ends its query, and the connection remains usable") {
    Pool pool{1};
    Database database(pool, SqlLimits{.deadline = std::chrono::hours(1)});
    asio::io_context io;
    asio::cancellation_signal cancel;
    std::exception_ptr error;
    auto handler = [&](std::exception_ptr e, std::string) { error = e; };
    spawn(io.get_executor(), database.query(runaway), asio::bind_cancellation_slot(cancel.slot(), handler));
    io.poll();  // the pool has the query now
    asio::post(io, [&] { cancel.emit(asio::cancellation_type::terminal); });

    io.run();

    REQUIRE(error);
    CHECK_THROWS_AS(std::rethrow_exception(error), boost::system::system_error);
    CHECK(ask(database, "SELECT 1") == "[(1,)]");
}

TEST_CASE("a query is interrupted at its deadline") {
    Pool pool{1};
    Database database(pool, SqlLimits{.deadline = std::chrono::seconds(1)});
    CHECK(ask(database, runaway) == "refused: the query took longer than 1 s and was stopped: make it simpler");
    CHECK(ask(database, "SELECT 1") == "[(1,)]");
}

TEST_CASE("parallel threads do not disturb each other's queries") {
    Pool pool{2};
    Database database(pool);
    auto tools = standard(database);
    int right[3] = {};
    std::vector<std::thread> threads;
    for (int& mine : right)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                mine += ask(database, quarter(1)) == "[(5500,)]";
                mine += ask(database, "DELETE FROM ORDERS").starts_with("refused: DELETE changes the database");
                mine += schema_of(database, "AGENTS").starts_with("AGENT_CODE");
                mine += testing::await(tools.call("math_calculator", R"({"expression": "6 * 7"})")).text == "42";
                mine += testing::await(tools.call("get_country_capitals", R"({"country": "Peru"})")).text == "Lima";
            }
        });
    for (auto& t : threads) t.join();
    for (int count : right) CHECK(count == 100);
}

TEST_SUITE_END();
