// engine streams the end of a run
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
using ToldEvent = RunFailedEvent;
#else
using ToldEvent = RunProgressEvent;
#endif
void say(Context& context) { context.stream(ToldEvent{}); }
