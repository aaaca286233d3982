// the function of ctx.begin_again returns the start event of the workflow
#include "engine/run.hpp"
using namespace weft;
struct Names {
    int count = 0;
};
#ifdef WRONG
struct PollEvent {};
#else
struct PollEvent : StartEvent {};
#endif
void poll(Context& context) {
    context.begin_again([](const Names&) { return PollEvent{}; });
}
