// how a run has ended is told by the engine
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
using ToldEvent = RunFailedEvent;
#else
using ToldEvent = RunProgressEvent;
#endif
void say(Context& context) { context.stream(ToldEvent{}); }
