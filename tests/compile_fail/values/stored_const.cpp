// durable runs read this type back, and a const part of it
#include "engine/durable.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(NameEvent, (), ())
struct Mark {
#ifdef WRONG
    const std::string id;
#else
    std::string id;
#endif
};
BOOST_DESCRIBE_STRUCT(Mark, (), (id))
struct GreetingEvent : StopEvent {
    std::vector<Mark> marks;
};
BOOST_DESCRIBE_STRUCT(GreetingEvent, (), (marks))
GreetingEvent greet(Context&, NameEvent);
inline constexpr auto hello = workflow("hello", step<greet>);
Bound<std::remove_cvref_t<decltype(hello)>> stored() { return durable(hello); }
