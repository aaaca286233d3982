// with(...) was given several resources that fit this parameter
#include "engine/run.hpp"
using namespace weft;
struct Model {
    virtual ~Model() = default;
};
struct Small : Model {};
struct Large : Model {};
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent, Model&) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
auto bind(Small& small, Large& large) {
#ifdef WRONG
    return hello.with(small, large);
#else
    return (void)small, hello.with(large);
#endif
}
