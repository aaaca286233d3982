// The order for prompts: first tools that list data, then tools that calculate, last tools that must be allowed.
#include "tools/standard.hpp"
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
    ToolPointers (*make)(const ToolResources&);
    std::string_view name{}, needs{};  // empty: the tools are always present
    bool reads = true;                 // all tools of the row only read
};
template <std::shared_ptr<Tool> (*make)()> ToolPointers one(const ToolResources&) { return {make()}; }
template <ToolPointers (*make)()> ToolPointers several(const ToolResources&) { return make(); }
ToolPointers of_database(const ToolResources& given) { return sql_tools(given.database); }
ToolPointers of_web(const ToolResources& given) {
    if (!given.web_hosts) return {};
    return {http_get({.hosts = *given.web_hosts})};
}
constexpr ToolRow rows[] = {
    {of_database, {}, {}, false},
    {one<math_calculator>},
    {several<arithmetic>},
    {one<get_country_capitals>},
    {of_web, "http_get", "http_get reads only from hosts that are named"},
};
}

Registry standard(const ToolResources& given) {
    Registry all;
    for (const auto& row : rows)
        for (auto& tool : row.make(given)) all.add(row.reads ? parallel(tool) : tool);
    return all;
}
Registry standard(Database& database) { return standard(ToolResources{database}); }
std::string_view needs(std::string_view tool) {
    for (const auto& row : rows)
        if (!row.name.empty() && row.name == tool) return row.needs;
    return {};
}
}
