// if no stored run needs it, let it say static constexpr bool memory_only = true
#include "engine/durable.hpp"
#include "engine/run.hpp"
using namespace weft;
struct Budget {
    int calls = 0;
#ifndef WRONG
    static constexpr bool memory_only = true;
#endif
};
auto seeds = slots(Budget{1});
