// lose it: list it there, or name it in undescribed_fields
#include "engine/durable.hpp"
using namespace weft;
struct Budget {
    int calls = 0;
    int tokens = 0;
};
#ifdef WRONG
BOOST_DESCRIBE_STRUCT(Budget, (), (calls))
#else
BOOST_DESCRIBE_STRUCT(Budget, (), (calls, tokens))
#endif
void count(Context& ctx) {
    ctx.edit<Budget>([](auto& budget) { ++budget.calls; });
}
