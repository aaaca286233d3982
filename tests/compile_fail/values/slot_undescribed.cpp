// this file includes engine/durable.hpp, and durable runs store slots as JSON: describe this type
#include "engine/durable.hpp"
using namespace weft;
struct Budget {
    int calls = 0;
};
#ifndef WRONG
BOOST_DESCRIBE_STRUCT(Budget, (), (calls))
#endif
struct Cache {
    std::shared_ptr<int> found;
    static constexpr bool memory_only = true;
};
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context& ctx, NameEvent) {
    ctx.edit<Budget>([](auto& budget) { ++budget.calls; });
    ctx.edit<Cache>([](auto& cache) { cache.found.reset(); });
    return {};
}
