// slots(...) was given two values for this slot
#include "engine/run.hpp"
using namespace weft;
struct Budget {
    int calls = 0;
};
struct Spent {
    int calls = 0;
};
#ifdef WRONG
auto seeds = slots(Budget{1}, Budget{2});
#else
auto seeds = slots(Budget{1}, Spent{2});
#endif
