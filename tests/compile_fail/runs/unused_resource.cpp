// no step of this workflow needs this resource: remove it from with(...)
#include "engine/run.hpp"
using namespace weft;
struct Model {};
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
auto bind(Model& model) {
#ifdef WRONG
    return hello.with(model);
#else
    return (void)model, hello.with();
#endif
}
