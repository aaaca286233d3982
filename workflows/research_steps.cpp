// The database's functions write lists in Python's form, for models; the lenient reader of model replies reads them.
#include "workflows/research_steps.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/text/lenient_json.hpp"
#include "tools/sql/database.hpp"
#include "tools/tool.hpp"
#include <charconv>
#include <sstream>

namespace weft::workflows {
namespace {
/// Reads a list in Python's form.
std::vector<std::string> read_list(const std::string& text) {
    const auto read = agents::lenient_object("{\"names\": " + text + "}");
    if (!read.ok()) throw tools::ToolError("the list of tables cannot be read: " + read.error);
    return parse_json(read.json).at("names").get<std::vector<std::string>>();
}
std::int64_t first_number(const std::string& rows) {
    const auto digit = rows.find_first_of("0123456789");
    std::int64_t number = 0;
    if (digit != rows.npos) std::from_chars(rows.data() + digit, rows.data() + rows.size(), number);
    return number;
}
std::string sql_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    return out + '"';
}
}

awaitable<std::vector<TableEvent>> plan(Context&, TopicEvent topic, tools::Database& database) {
    const auto names = co_await database.tables();
    const auto wanted = lower(topic.text);
    std::vector<TableEvent> tables;
    for (auto& name : read_list(names))
        if (lower(name).find(wanted) != std::string::npos) tables.emplace_back().table = std::move(name);
    co_return tables;
}
awaitable<FindingEvent> look(Context&, TableEvent event, tools::Database& database) {
    FindingEvent finding;
    finding.table = std::move(event.table);
    try {
        const auto columns = co_await database.describe(finding.table);
        std::istringstream lines(columns);
        for (std::string line; std::getline(lines, line);)
            if (!line.empty()) finding.columns.push_back(line);
        auto count = "SELECT COUNT(*) FROM " + sql_name(finding.table);
        const auto rows = co_await database.query(std::move(count));
        finding.rows = first_number(rows);
    } catch (const tools::ToolError& error) { finding.error = error.what(); }
    co_return finding;
}
ReportEvent report(Context&, std::vector<FindingEvent> findings) {
    ReportEvent report;
    std::int64_t rows = 0;
    std::size_t unread = 0;
    for (const auto& finding : findings) {
        rows += finding.rows;
        unread += finding.error.has_value();
    }
    report.text = std::to_string(findings.size()) + " tables with " + std::to_string(rows) + " rows";
    if (unread) report.text += "; " + std::to_string(unread) + " of them could not be looked at";
    report.findings = std::move(findings);
    return report;
}
}
