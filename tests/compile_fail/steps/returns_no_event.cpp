// a step returns an event, which is a struct of yours
#include "engine/workflow.hpp"
#include <memory>
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
std::unique_ptr<GreetingEvent> greet(Context&, NameEvent);
#else
std::optional<GreetingEvent> greet(Context&, NameEvent);
#endif
inline constexpr auto hello = workflow("hello", step<greet>);
