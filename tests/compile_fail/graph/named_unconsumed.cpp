// no step of this workflow accepts this event: add a step for it
#include "engine/named_step.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct MoreEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
using Next = std::variant<GreetingEvent, MoreEvent>;
#else
using Next = GreetingEvent;
#endif
inline constexpr auto hello = workflow("hello", named_step<"greet">([](Context&, NameEvent) { return Next{}; }));
