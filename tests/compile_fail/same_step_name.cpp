// two steps of this workflow have the same name: rename one of them
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct DraftEvent {};
struct GreetingEvent : StopEvent {};
DraftEvent greet(Context&, NameEvent);
namespace polite {
GreetingEvent greet(Context&, DraftEvent);
GreetingEvent polish(Context&, DraftEvent);
}
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>, step<polite::greet>);
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<polite::polish>);
#endif
