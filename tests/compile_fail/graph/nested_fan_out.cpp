// a branch of a fan-out cannot be a fan-out itself
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct PartEvent {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
std::vector<std::vector<PartEvent>> split(Context&, NameEvent);
#else
std::vector<PartEvent> split(Context&, NameEvent);
#endif
GreetingEvent greet(Context&, std::vector<PartEvent>);
inline constexpr auto hello = workflow("hello", step<split>, step<greet>);
