// The order for prompts: first tools that list data, then tools that calculate, last tools that must be allowed.
#include "tools/standard.hpp"
#include "engine/text/text.hpp"
#include "tools/arithmetic.hpp"
#include "tools/calculator.hpp"
#include "tools/capitals.hpp"
#include "tools/http_get.hpp"
#include "tools/parallel.hpp"
#include "tools/sql/tools.hpp"

namespace weft::tools {
namespace {
using ToolPointers = std::vector<std::shared_ptr<Tool>>;
struct ToolRow {
    ToolPointers (*make)(Database&, const ToolOptions&);
    bool reads = true;  // all tools of the row only read
};
template <std::shared_ptr<Tool> (*make)()> ToolPointers one(Database&, const ToolOptions&) { return {make()}; }
template <ToolPointers (*make)()> ToolPointers several(Database&, const ToolOptions&) { return make(); }
ToolPointers of_database(Database& database, const ToolOptions&) { return sql_tools(database); }
ToolPointers of_web(Database&, const ToolOptions& given) {
    if (given.web_hosts.empty()) return {};
    return {http_get({.hosts = split_names(given.web_hosts)})};
}
constexpr ToolRow rows[] = {
    {of_database, false}, {one<math_calculator>}, {several<arithmetic>}, {one<get_country_capitals>}, {of_web},
};
}

Registry standard(Database& database, const ToolOptions& given) {
    Registry all;
    for (const auto& row : rows)
        for (auto& tool : row.make(database, given)) all.add(row.reads ? parallel(tool) : tool);
    return all;
}
std::string_view needs(std::string_view tool) {
    for (const auto& option : tool_options)
        if (option.tool == tool) return option.needs;
    return {};
}
}
