// no step can accept this event, because it leaves the run
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
struct GreetingEvent : StopEvent {};
AskEvent ask(Context&, NameEvent);
#ifdef WRONG
GreetingEvent greet(Context&, AskEvent);
#else
GreetingEvent greet(Context&, ReplyEvent);
#endif
inline constexpr auto hello = workflow("hello", step<ask>, step<greet>);
