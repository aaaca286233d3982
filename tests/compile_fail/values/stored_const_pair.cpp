// durable runs read this type back, and a const part of it
#include "engine/durable.hpp"
#include <map>
using namespace weft;
struct NameEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(NameEvent, (), ())
struct GreetingEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(GreetingEvent, (), ())
using Counts = std::map<std::string, int>;
struct Best {
#ifdef WRONG
    std::vector<Counts::value_type> counts;
#else
    std::vector<std::pair<std::string, int>> counts;
    Counts all;
#endif
};
#ifdef WRONG
BOOST_DESCRIBE_STRUCT(Best, (), (counts))
#else
BOOST_DESCRIBE_STRUCT(Best, (), (counts, all))
#endif
GreetingEvent greet(Context&, NameEvent);
inline constexpr auto hello = workflow("hello", step<greet>);
Bound<std::remove_cvref_t<decltype(hello)>> stored() { return durable<Best>(hello); }
