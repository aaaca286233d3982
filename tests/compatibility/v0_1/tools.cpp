// Tools from functions: named scalars, described structs, errors, results of any form, work that blocks.
#include "engine/pool.hpp"
#include "engine/testing/await.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include <iostream>
using namespace weft;

// [scalars]
double miles(double km) { return km / 1.609344; }
// [/scalars]

// [struct]
enum class Size { small, large };
BOOST_DESCRIBE_ENUM(Size, small, large)

struct Order {
    std::string tea;
    Size size;
    int cups = 1;
    std::optional<std::string> note;
    static constexpr std::string_view optional_fields[] = {"cups"};  // it keeps its initialiser
};
BOOST_DESCRIBE_STRUCT(Order, (), (tea, size, cups, note))

struct Bill {
    std::string tea;
    double total = 0;
};
BOOST_DESCRIBE_STRUCT(Bill, (), (tea, total))

Bill price(const Order& order) {
    if (order.cups < 1 || order.cups > 20)
        throw tools::ToolError("cups must be from 1 to 20, not " + std::to_string(order.cups));
    return {order.tea, order.cups * (order.size == Size::large ? 4.5 : 3.0)};
}
// [/struct]

// [blocking]
std::string look_up(const std::string& year) {  // takes as long as a disk takes
    if (year != "2024") throw tools::ToolError("there is no harvest of " + year + "; there is 2024");
    return "a good one";
}
awaitable<std::string> harvest_of(Pool& pool, std::string year) {
    auto work = [year](std::stop_token) { return look_up(year); };  // named first
    co_return co_await pool.run(std::move(work));
}
// [/blocking]

void call(const tools::Registry& registry, const char* tool, const char* arguments) {
    const auto seen = testing::await(registry.call(tool, arguments));
    std::cout << (seen.ok ? "" : "not ok: ") << seen.text << '\n';
}

int main() {
    // [registry]
    Pool pool;
    auto harvest = [&pool](std::string year) { return harvest_of(pool, std::move(year)); };

    tools::Registry registry;
    registry.add(tools::make_tool("miles", "Converts kilometres to miles.", miles, {"km"}));
    registry.add(tools::make_tool("price", "What an order of tea costs.", price));
    registry.add(tools::make_tool("harvest", "How the harvest of a year was.", harvest, {"year"}));
    // [/registry]
    call(registry, "miles", R"({"km": 42.195})");
    call(registry, "price", R"({"tea": "green", "size": "large", "cups": 2})");
    call(registry, "miles", R"({"km": "far"})");
    call(registry, "price", R"({"tea": "green", "size": "small", "cups": 100})");
    call(registry, "harvest", R"({"year": "1815"})");
}
// prints:
// 26.218757456454306
// {"tea":"green","total":9.0}
// not ok: Error: wrong arguments for miles: arguments.km: expected number, got a string. Expected: {"km": number}
// not ok: Error: cups must be from 1 to 20, not 100
// not ok: Error: there is no harvest of 1815; there is 2024
