// an awaitable gives a value: let it give a pointer in place of a reference
#include "engine/awaitable.hpp"
using namespace weft;
int count = 0;
#ifdef WRONG
awaitable<int&> counter() { co_return count; }
#else
awaitable<int*> counter() { co_return &count; }
#endif
