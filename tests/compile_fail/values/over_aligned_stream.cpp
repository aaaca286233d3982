// an event of the stream is aligned to at most 16 bytes
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
struct alignas(32) DeltaEvent {
#else
struct alignas(16) DeltaEvent {
#endif
    int n = 0;
};
void say(Context& context) { context.stream(DeltaEvent{1}); }
