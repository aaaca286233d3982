// no step of this workflow accepts this signal
#include "engine/durable.hpp"
#include "engine/engine.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(NameEvent, (), ())
struct PauseEvent : SignalEvent {};
BOOST_DESCRIBE_STRUCT(PauseEvent, (), ())
struct AnyAnswerEvent : HumanResponseEvent {};
BOOST_DESCRIBE_STRUCT(AnyAnswerEvent, (), ())
struct GreetingEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(GreetingEvent, (), ())
void wait(Context&, NameEvent) {}
void hear(Context&, AnyAnswerEvent) {}
GreetingEvent greet(Context&, PauseEvent) { return {}; }
inline constexpr auto hello = workflow("hello", step<wait>, step<hear>, step<greet>);
void pause(Engine& engine) {
#ifdef WRONG
    engine.signal(durable<>(hello), "r1", AnyAnswerEvent{});
#else
    engine.signal(durable<>(hello), "r1", PauseEvent{});
#endif
}
