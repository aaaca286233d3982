// ctx.edit was given a function that changes a copy of the slot
#include "engine/context.hpp"
#include <functional>
#include <span>
#include <vector>
using namespace weft;
struct Budget {
    int calls = 0;
};
struct Scores : std::vector<int> {};
void spend(Context& ctx) {
#ifdef WRONG
    ctx.edit<Budget>([](auto budget) { ++budget.calls; });
#else
    ctx.edit<Budget>([](auto& budget) { ++budget.calls; });
    ctx.edit<Budget>([](auto&& budget) { ++budget.calls; });
    ctx.edit<Budget>([calls = 1](Budget& budget) mutable { budget.calls = calls++; });
    ctx.edit<Budget>([](std::reference_wrapper<Budget> budget) { ++budget.get().calls; });
    ctx.edit<Scores>([](std::span<int> scores) { scores[0] = 1; });
    ctx.edit<Budget>(+[](Budget& budget) noexcept { ++budget.calls; });
#endif
}
