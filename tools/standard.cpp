// The order is the order in prompts: first what there is to look at, then what calculates.
#include "tools/standard.hpp"
#include "tools/arithmetic.hpp"
#include "tools/calculator.hpp"
#include "tools/capitals.hpp"
#include "tools/parallel.hpp"
#include "tools/sql/tools.hpp"

namespace weft::tools {
Registry standard(Database& database) {
    Registry all;
    for (auto& tool : sql_tools(database)) all.add(parallel(tool));
    all.add(parallel(math_calculator()));
    for (auto& tool : arithmetic()) all.add(parallel(tool));
    all.add(parallel(get_country_capitals()));
    return all;
}
}
