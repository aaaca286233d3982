// a StopEvent and an InputRequiredEvent are returned by a step
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
struct DeltaEvent : StopEvent {};
#else
struct DeltaEvent : HumanResponseEvent {};
#endif
void say(Context& context) { context.stream(DeltaEvent{}); }
