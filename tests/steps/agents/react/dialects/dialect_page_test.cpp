// Reads each reply in the tables of docs/tutorial/08_dialects.md, and compares with the tables.
#include "steps/agents/react/dialects/langchain_dialect.hpp"
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "tests/support/bare_tools.hpp"
#include <doctest/doctest.h>
#include <fstream>
#include <vector>
using namespace weft::agents;

namespace {
struct Row {
    std::string reply, is, read_as;
};
/// Reads `text`, or ``text with ` in it`` without a blank next to the ticks.
std::string code(std::string cell) {
    const auto ticks = cell.find_first_not_of('`');
    REQUIRE(ticks != cell.npos);
    REQUIRE(ticks > 0);
    REQUIRE(cell.size() > 2 * ticks);
    cell = cell.substr(ticks, cell.size() - 2 * ticks);
    if (ticks > 1 && cell.ends_with("` ")) cell.pop_back();
    constexpr std::string_view mark = "↵";
    for (auto at = cell.find(mark); at != cell.npos; at = cell.find(mark, at)) cell.replace(at, mark.size(), "\n");
    return cell;
}
std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> all;
    for (std::size_t begin = 2, end = 0; (end = line.find(" |", begin)) != line.npos; begin = end + 3)
        all.push_back(line.substr(begin, end - begin));
    return all;
}
std::vector<Row> table(const std::string& dialect) {
    std::ifstream page(WEFT_DIALECTS_PAGE);
    std::string line;
    while (std::getline(page, line) && line != "<!-- grammar of " + dialect + " -->") {}
    std::getline(page, line);
    std::getline(page, line);
    std::vector<Row> rows;
    while (std::getline(page, line) && line.starts_with("|")) {
        const auto row = cells(line);
        INFO(line);
        REQUIRE(row.size() == 3);
        rows.push_back({code(row[0]), row[1], code(row[2])});
    }
    return rows;
}
weft::tools::Registry make_tools() {
    auto tools = test::make_bare_tools().only({"calculate", "get_country_capitals", "add"});
    tools.add(weft::tools::math_calculator());
    tools.add(weft::tools::make_tool("list_sql_tables", "Lists tables.", [] { return std::string("none"); }));
    return tools;
}
void check(const Dialect& dialect, const weft::tools::Registry& tools, std::size_t least) {
    const auto rows = table(std::string(dialect.name()));
    REQUIRE(rows.size() >= least);
    for (const auto& row : rows) {
        const auto parser = dialect.parser_for(tools);
        parser->feed(row.reply, {});
        const auto reply = parser->finish({});
        INFO(row.reply, "|", reply.error);
        if (row.is == "action") {
            REQUIRE(reply.kind == ReplyKind::action);
            CHECK(reply.action + ' ' + reply.action_input == row.read_as);
        } else if (row.is == "answer") {
            REQUIRE(reply.kind == ReplyKind::answer);
            CHECK(reply.answer == row.read_as);
        } else {
            REQUIRE((row.is == "error" || row.is == "reminder"));
            REQUIRE(reply.kind == ReplyKind::error);
            CHECK(reply.unlabelled == (row.is == "reminder"));
            CHECK((reply.unlabelled ? reply.thought : reply.error).find(row.read_as) == 0);
        }
    }
}
}

// shows L-11: the dialect `text` has thought, action, JSON input and answer
// shows L-13: labels and inputs are read leniently
TEST_CASE("react reads each reply as its table in the tutorial says") { check(text_dialect, make_tools(), 16); }
// shows L-10
TEST_CASE("langchain reads each reply as its table in the tutorial says") {
    const auto tools = make_tools();
    check(LangchainDialect(tools), tools, 12);
}
// shows W-02, B-W05
TEST_CASE("pause reads each reply as its table in the tutorial says") {
    const auto tools = make_tools();
    check(PauseDialect(tools), tools, 18);
}
