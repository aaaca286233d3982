// ctx.edit was given a function that changes a copy of the slot
#include "engine/context.hpp"
using namespace weft;
struct Budget {
    int calls = 0;
};
void spend(Context& ctx) {
#ifdef WRONG
    ctx.edit<Budget>([](auto budget) { ++budget.calls; });
#else
    ctx.edit<Budget>([](auto& budget) { ++budget.calls; });
    ctx.edit<Budget>([](auto&& budget) { ++budget.calls; });
    ctx.edit<Budget>([calls = 1](Budget& budget) mutable { budget.calls = calls++; });
    ctx.edit<Budget>(+[](Budget& budget) noexcept { ++budget.calls; });
#endif
}
