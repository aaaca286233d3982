// ctx.edit was given a function that waits
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "engine/timeout.hpp"
using namespace weft;
struct Budget {
    int calls = 0;
};
#ifdef WRONG
using Done = awaitable<void>;
#else
using Done = void;
#endif
Done spend(Budget& budget);
void run(Context& ctx) { ctx.edit<Budget>(spend); }
