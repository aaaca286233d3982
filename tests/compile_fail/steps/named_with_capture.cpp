// named_step takes a lambda without captures
#include "engine/named_step.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
void declare(int age) {
#ifdef WRONG
    auto greet = named_step<"greet">([age](Context&, NameEvent) { return (void)age, GreetingEvent{}; });
#else
    auto greet = named_step<"greet">([](Context&, NameEvent) { return GreetingEvent{}; });
#endif
    (void)age;
    (void)greet;
}
