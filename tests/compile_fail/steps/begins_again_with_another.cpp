// ctx.begin_again takes the start event of the workflow
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
struct PollEvent {};
#else
struct PollEvent : StartEvent {};
#endif
void poll(Context& context) { context.begin_again(PollEvent{}); }
