// a timeout has to be longer than nothing
#include "engine/awaitable.hpp"
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
awaitable<GreetingEvent> greet(Context&, NameEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>.timeout(std::chrono::seconds(0)));
#else
inline constexpr auto hello = workflow("hello", step<greet>.timeout(std::chrono::seconds(1)));
#endif
