// a step returns a StopEvent or an InputRequiredEvent
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
struct DeltaEvent : InputRequiredEvent {};
#else
struct DeltaEvent {};
#endif
void say(Context& context) { context.stream(DeltaEvent{}); }
