// a_timeout_has_to_be_longer_than_nothing
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
