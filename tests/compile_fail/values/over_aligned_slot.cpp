// a slot is aligned to at most 16 bytes: keep what needs more behind a pointer
#include "engine/context.hpp"
using namespace weft;
#ifdef WRONG
struct alignas(32) Budget {
#else
struct alignas(16) Budget {
#endif
    int calls = 0;
};
int calls(Context& context) { return context.get<Budget>().calls; }
