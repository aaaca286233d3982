// A tool's display for the human, and its bounds.
#include "engine/json.hpp"
#include "engine/pool.hpp"
#include "engine/testing/await.hpp"
#include "tests/support/folder.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include "tools/sql/database.hpp"
#include "tools/sql/tools.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
Observation call_made(Observation observation) {
    Registry tools;
    tools.add(make_tool("show", "Shows.", [observation] { return observation; }));
    return testing::await(tools.call("show", "{}"));
}
std::size_t bytes_of(const Observation& observation) { return to_json(observation).dump().size(); }
}

TEST_CASE("a file of any length and any bytes is read back unchanged") {
    std::string all;
    for (int i = 0; i < 256; ++i) all += char(i);
    for (std::size_t n : {0u, 1u, 2u, 3u, 4u, 255u, 256u}) {
        const auto file = shown_file("a.bin", "application/octet-stream", std::string_view(all).substr(0, n));
        CHECK(file.bytes == std::int64_t(n));
        CHECK(content_of(file) == all.substr(0, n));
    }
    CHECK(content_of({"a", "b", 3, "not base 64!"}).empty());
}
TEST_CASE("a tool's display is bounded: the rest is counted or named, and all of it is UTF-8") {
    Observation huge{"for the model"};
    auto& display = huge.display.emplace();
    display.text = std::string(1 << 20, 'x') + "\xFF";
    for (int i = 0; i < 20; ++i) {
        display.files.push_back(shown_file(std::string(1000, 'n'), "text/\xFF", std::string(100 << 10, 'f')));
        auto& table = display.tables.emplace_back();
        table.name = "t";
        table.columns.assign(100, "\xFF");
        table.rows.assign(2000, std::vector<std::string>(3, std::string(10000, 'c')));
        table.more_rows = -5;
    }
    const auto shown = call_made(huge);
    CHECK(shown.text == "for the model");
    CHECK(bytes_of(shown) < (1 << 20) - 1024);  // an entry of a server's log
    CHECK(shown.display->text.ends_with("of 1048577 bytes]"));
    CHECK(shown.display->files.size() == 8);
    CHECK(shown.display->files[1].data.size() > 0);
    CHECK(shown.display->files[2].data.empty());
    CHECK(shown.display->files[7].bytes == 100 << 10);
    const auto& table = shown.display->tables.at(0);
    CHECK(table.columns.size() == 50);
    CHECK(table.rows.at(0).size() == 50);
    CHECK(table.rows.size() + std::size_t(table.more_rows) == 2000);
    CHECK(shown.display->tables.at(7).more_rows == 2000);
    const auto lines = in_lines(*shown.display);
    CHECK(lines.size() == 16);
    CHECK(lines[7].ends_with("102400 bytes, too large to be kept)"));
    CHECK(lines[8] == "table t (50 columns, 2000 rows)");
    CHECK(shown_file("a", "b", std::string(200 << 10, 'x')).data.empty());
    auto forged = call_made({.text = "x", .display = Display{"", {{"a", "b", -1, "\"><script>"}}, {}}});
    CHECK(forged.display->files[0].data.empty());
    CHECK(forged.display->files[0].bytes == 0);
}
TEST_CASE("a display's bound applies to its stored form, where a control character takes six bytes") {
    const std::string odd(300, '\1');
    Observation huge{std::string(1 << 20, '\1')};
    auto& display = huge.display.emplace();
    display.text = std::string(1 << 20, '\1');
    for (int i = 0; i < 8; ++i) {
        display.files.push_back(shown_file(odd, odd, std::string(100 << 10, 'f')));
        auto& table = display.tables.emplace_back();
        table.name = odd;
        table.columns.assign(50, odd);
        table.rows.assign(500, std::vector<std::string>(50, std::string(4 << 10, '\1')));
    }
    const auto shown = call_made(huge);
    CHECK(bytes_of(shown) < (1 << 20) - (32 << 10));  // an entry of a server's log, with the event's other members
    CHECK(shown.text.starts_with(std::string(64 << 10, '\1') + "\n[truncated"));
    CHECK(shown.display->files.size() == 8);
    CHECK_FALSE(shown.display->files[0].data.empty());
    CHECK(shown.display->tables.size() == 8);
    for (const auto& table : shown.display->tables) {
        CHECK(table.rows.size() + std::size_t(table.more_rows) == 500);
        for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
    }
    Observation plain{"for the model"};
    plain.display.emplace().text = std::string(64 << 10, 'x');
    for (int i = 0; i < 2; ++i)
        plain.display->files.push_back(shown_file("a", "text/plain", std::string(128 << 10, 'f')));
    auto& table = plain.display->tables.emplace_back();
    table.columns = {"a", "b"};
    table.rows.assign(500, {std::string(100, 'c'), std::string(100, 'c')});
    CHECK(call_made(plain) == plain);  // a usual display is unchanged
}
TEST_CASE("invalid UTF-8 in a tool's text is repaired, for the model and for the human") {
    Observation broken{"a\xFFz"};
    broken.display.emplace().text = "b\xFFz";
    const auto shown = call_made(broken);
    CHECK(shown.text == "a\xEF\xBF\xBDz");
    CHECK(shown.display->text == "b\xEF\xBF\xBDz");
    CHECK(call_made({std::string(1 << 20, '\xFF')}).text.starts_with("\xEF\xBF\xBD"));
}
TEST_CASE("a former observation is read, and one without a display has none") {
    const auto old = from_json<Observation>(json::parse(R"({"text": "3", "ok": true, "ran": true})"));
    CHECK(old == Observation{"3"});
    CHECK(to_json(old).at("display").is_null());
    Observation shown{"3"};
    shown.display.emplace().tables.push_back({"t", {"a"}, {{"1"}}});
    CHECK(from_json<Observation>(to_json(shown)) == shown);
}
TEST_CASE("a query gives the model tuples, and the human a table") {
    Pool pool(1);
    Database database(pool);
    Registry tools;
    for (const auto& tool : sql_tools(database)) tools.add(tool);
    const auto ask = [&](const std::string& sql) {
        return testing::await(tools.call("sql_db_query", json{{"sql_query", sql}}.dump()));
    };
    const auto one = ask("SELECT 'it''s' AS word, NULL AS none, 1.5 AS part, x'00ff' AS bytes");
    CHECK(one.text == R"([("it's", None, 1.5, X'00ff')])");
    REQUIRE(one.display);
    const auto& table = one.display->tables.at(0);
    CHECK(table.columns == std::vector<std::string>{"word", "none", "part", "bytes"});
    CHECK(table.rows == std::vector<std::vector<std::string>>{{"it's", "NULL", "1.5", "X'00ff'"}});
    const auto none = ask("SELECT 1 AS a WHERE 0");
    CHECK(none.text == "[]");
    CHECK(none.display->tables.at(0).rows.empty());
    const auto many = ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300) SELECT i FROM n");
    CHECK(many.display->tables.at(0).name == "result, truncated");
    CHECK(many.display->tables.at(0).rows.size() == 200);
    CHECK_FALSE(ask("SELECT nothing").display);
}
