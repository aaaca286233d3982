// Tools from functions: named scalars, described structs, errors, results of any form, work that blocks.
#include "engine/pool.hpp"
#include "engine/testing/await.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include <iostream>
#include <map>
using namespace weft;

// [scalars]
double miles(double kilometres) { return kilometres / 1.609344; }
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
    std::string text;
    double total = 0;
};
BOOST_DESCRIBE_STRUCT(Bill, (), (text, total))

Bill price(const Order& order) {
    if (order.cups < 1 || order.cups > 20)
        throw tools::ToolError("cups must be from 1 to 20, not " + std::to_string(order.cups));
    return {order.tea, order.cups * (order.size == Size::large ? 4.5 : 3.0)};
}
// [/struct]

// [blocking]
class Archive {
public:
    explicit Archive(Pool& pool) : pool_(pool) {}
    awaitable<std::string> find(std::string year) const {
        auto work = [this, year](std::stop_token) { return look_up(year); };  // named first
        co_return co_await pool_.run(std::move(work));
    }

private:
    std::string look_up(const std::string& year) const {  // takes as long as a disk takes
        const auto found = harvests_.find(year);
        if (found == harvests_.end()) throw tools::ToolError("there is no harvest of " + year + "; there is 2024");
        return found->second;
    }
    Pool& pool_;
    const std::map<std::string, std::string> harvests_{{"2024", "a good one"}};
};
// [/blocking]

void call(const tools::Registry& registry, const char* tool, const char* arguments) {
    const auto seen = testing::await(registry.call(tool, arguments));
    std::cout << (seen.ok ? "" : "not ok: ") << seen.text << '\n';
}

int main() {
    // [registry]
    Pool pool;
    const Archive archive(pool);
    auto harvest = [&archive](std::string year) { return archive.find(std::move(year)); };

    tools::Registry registry;
    registry.add(tools::make_tool("miles", "Converts kilometres to miles.", miles, {"kilometres"}));
    registry.add(tools::make_tool("price", "What an order of tea costs.", price));
    registry.add(tools::make_tool("harvest", "How the harvest of a year was.", harvest, {"year"}));
    // [/registry]
    call(registry, "miles", R"({"kilometres": 42.195})");
    call(registry, "price", R"({"tea": "green", "size": "large", "cups": 2})");
    call(registry, "price", R"({"tea": "green", "size": "huge"})");
    call(registry, "price", R"({"tea": "green", "size": "small", "cups": 100})");
    call(registry, "harvest", R"({"year": "1815"})");
}
