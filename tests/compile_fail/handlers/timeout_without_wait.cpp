// only a step that returns awaitable can be stopped
#include "engine/awaitable.hpp"
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
GreetingEvent greet(Context&, NameEvent);
#else
awaitable<GreetingEvent> greet(Context&, NameEvent);
#endif
inline constexpr auto hello = workflow("hello", step<greet>.timeout(std::chrono::seconds(1)));
