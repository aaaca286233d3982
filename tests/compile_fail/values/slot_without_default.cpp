// a slot without edits reads as its default
#include "engine/run.hpp"
using namespace weft;
struct Budget {
#ifdef WRONG
    explicit Budget(int n) : calls(n) {}
    int calls;
#else
    int calls = 0;
#endif
};
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context& ctx, NameEvent) {
    ctx.edit<Budget>([](auto&) {});
    (void)ctx.get<Budget>();
    return {};
}
inline constexpr auto hello = workflow("hello", step<greet>);
void greet_all() { (void)run(hello, {}); }
