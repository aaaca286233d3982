// a workflow keeps its name as a view: give it a literal
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent);
#ifdef WRONG
auto hello(const std::string& name) { return workflow(name, step<greet>); }
#else
constexpr auto hello(const char* name) { return workflow(name, step<greet>); }
#endif
