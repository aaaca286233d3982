// several steps accept this event, so it has to be copyable
#include "engine/run.hpp"
using namespace weft;
struct NameEvent : StartEvent {
#ifdef WRONG
    std::unique_ptr<int> text;
#else
    std::shared_ptr<int> text;
#endif
};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent) { return {}; }
void count(Context&, NameEvent) {}
inline constexpr auto hello = workflow("hello", step<greet>, step<count>);
auto bind() { return hello.with(); }
