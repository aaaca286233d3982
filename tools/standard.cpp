// The order is that of prompts: first tools that list data, then those that calculate, last those that must be allowed.
#include "tools/standard.hpp"
#include "tools/arithmetic.hpp"
#include "tools/calculator.hpp"
#include "tools/capitals.hpp"
#include "tools/http_get.hpp"
#include "tools/parallel.hpp"
#include "tools/sql/tools.hpp"

namespace weft::tools {
namespace {
using Tools = std::vector<std::shared_ptr<Tool>>;
struct Row {
    Tools (*make)(const Given&);
    std::string_view name{}, needs{};  // empty: the tools are always present
    bool reads = true;                 // all tools of the row only read
};
template <std::shared_ptr<Tool> (*make)()> Tools one(const Given&) { return {make()}; }
template <Tools (*make)()> Tools several(const Given&) { return make(); }
Tools of_database(const Given& given) { return sql_tools(given.database); }
Tools of_web(const Given& given) {
    if (!given.web_hosts) return {};
    return {http_get({.hosts = *given.web_hosts})};
}
constexpr Row rows[] = {
    {of_database, {}, {}, false},
    {one<math_calculator>},
    {several<arithmetic>},
    {one<get_country_capitals>},
    {of_web, "http_get", "http_get reads only from hosts that are named"},
};
}

Registry standard(const Given& given) {
    Registry all;
    for (const auto& row : rows)
        for (auto& tool : row.make(given)) all.add(row.reads ? parallel(tool) : tool);
    return all;
}
Registry standard(Database& database) { return standard(Given{database}); }
std::string_view needs(std::string_view tool) {
    for (const auto& row : rows)
        if (!row.name.empty() && row.name == tool) return row.needs;
    return {};
}
}
