// if it is a resource, take it by reference
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
struct Phrases {};
#ifdef WRONG
GreetingEvent greet(Context&, NameEvent, Phrases);
#else
GreetingEvent greet(Context&, NameEvent, Phrases&);
#endif
inline constexpr auto hello = workflow("hello", step<greet>);
