// a stop event has to be copyable
#include "engine/run.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {
#ifdef WRONG
    std::unique_ptr<int> age;
#else
    std::shared_ptr<int> age;
#endif
};
GreetingEvent greet(Context&, NameEvent) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
void greet_all() { (void)run(hello, {}); }
