// two event types of this workflow have the same name
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct DraftEvent {};
namespace polite {
struct DraftEvent {};
struct FinalEvent {};
}
struct GreetingEvent : StopEvent {};
#ifdef WRONG
using Polished = polite::DraftEvent;
#else
using Polished = polite::FinalEvent;
#endif
DraftEvent draft(Context&, NameEvent);
Polished polish(Context&, DraftEvent);
GreetingEvent greet(Context&, Polished);
inline constexpr auto hello = workflow("hello", step<draft>, step<polish>, step<greet>);
