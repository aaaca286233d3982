// a StopEvent and an InputRequiredEvent are returned by a step
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
struct DeltaEvent : InputRequiredEvent {};
#else
struct DeltaEvent {};
#endif
void say(Context& context) { context.stream(DeltaEvent{}); }
