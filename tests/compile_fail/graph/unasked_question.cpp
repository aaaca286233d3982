// no step of this workflow asks the question that this event answers
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct AskEvent : InputRequiredEvent {};
struct OtherEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
struct GreetingEvent : StopEvent {};
#ifdef WRONG
OtherEvent ask(Context&, NameEvent);
#else
AskEvent ask(Context&, NameEvent);
#endif
GreetingEvent greet(Context&, ReplyEvent);
inline constexpr auto hello = workflow("hello", step<ask>, step<greet>);
