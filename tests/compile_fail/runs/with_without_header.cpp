// a workflow is bound to its resources where runs are known
#include "engine/workflow.hpp"
#ifndef WRONG
#include "engine/run.hpp"
#endif
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
struct Phrases {};
GreetingEvent greet(Context&, NameEvent, Phrases&);
inline constexpr auto hello = workflow("hello", step<greet>);
BoundOf<hello> bind(Phrases& phrases) { return hello.with(phrases); }
