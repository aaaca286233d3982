// two steps of this workflow have the same name: rename one of them
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct DraftEvent {};
struct GreetingEvent : StopEvent {};
DraftEvent greet(Context&, NameEvent);
GreetingEvent finish(Context&, DraftEvent);
namespace polite {
DraftEvent greet(Context&, NameEvent);
DraftEvent polish(Context&, NameEvent);
}
#ifdef WRONG
inline constexpr auto hello = workflow("hello", step<greet>, step<polite::greet>, step<finish>);
#else
inline constexpr auto hello = workflow("hello", step<greet>, step<polite::polish>, step<finish>);
#endif
