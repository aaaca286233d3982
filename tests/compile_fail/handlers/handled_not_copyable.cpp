// the handler of FailedEvent gets a copy of the failed event, so it has to be copyable
#include "engine/core/loop/define.hpp"
#include "engine/workflow.hpp"
#include <memory>
using namespace weft;
struct NameEvent : StartEvent {};
struct DraftEvent {
#ifdef WRONG
    std::unique_ptr<int> words;
#else
    std::shared_ptr<int> words;
#endif
};
struct GreetingEvent : StopEvent {};
DraftEvent draft(Context&, NameEvent) { return {}; }
GreetingEvent polish(Context&, DraftEvent) { return {}; }
GreetingEvent leave_rough(Context&, FailedEvent<DraftEvent>) { return {}; }
inline constexpr auto hello = workflow("hello", step<draft>, step<polish>, step<leave_rough>);
auto bind() { return hello.with(); }
