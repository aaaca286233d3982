// this resource is const, and a step takes it as R&
#include "engine/run.hpp"
using namespace weft;
struct Model {};
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent, Model&) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
#ifdef WRONG
auto bind(const Model& model) { return hello.with(model); }
#else
auto bind(Model& model) { return hello.with(model); }
#endif
