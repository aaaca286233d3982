// an event is aligned to at most 8 bytes: keep what needs more behind a pointer
#include "engine/run.hpp"
using namespace weft;
#ifdef WRONG
struct alignas(16) NameEvent : StartEvent {
#else
struct alignas(8) NameEvent : StartEvent {
#endif
    long id;
};
struct GreetingEvent : StopEvent {};
GreetingEvent greet(Context&, NameEvent) { return {}; }
inline constexpr auto hello = workflow("hello", step<greet>);
auto bind() { return hello.with(); }
