// with(...) was given a temporary, which would be gone before a run begins
#include "engine/run.hpp"
using namespace weft;
struct Model {};
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent, const Model&) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
auto bind() {
#ifdef WRONG
    return hello.with(Model());
#else
    static const Model model;
    return hello.with(model);
#endif
}
