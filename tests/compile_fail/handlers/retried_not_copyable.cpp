// a step that is retried gets a copy of its event each time, so the event has to be copyable
#include "engine/workflow.hpp"
#include <memory>
using namespace weft;
struct NameEvent : StartEvent {
    std::unique_ptr<int> text;
};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.retry({.attempts = 3}));
#else
inline constexpr auto hello = workflow("hello", step<greet>);
#endif
