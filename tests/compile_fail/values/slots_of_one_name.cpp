// two slots of durable<...> are stored under the same name
#include "engine/durable.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(NameEvent, (), ())
struct GreetingEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(GreetingEvent, (), ())
struct HTTPCount {
    int calls = 0;
};
BOOST_DESCRIBE_STRUCT(HTTPCount, (), (calls))
namespace client {
#ifdef WRONG
struct HttpCount {
    int calls = 0;
};
BOOST_DESCRIBE_STRUCT(HttpCount, (), (calls))
#else
struct HttpsCount {
    int calls = 0;
};
BOOST_DESCRIBE_STRUCT(HttpsCount, (), (calls))
using HttpCount = HttpsCount;
#endif
}
GreetingEvent greet(Context&, NameEvent);
inline constexpr auto hello = workflow("hello", step<greet>);
Bound<std::remove_cvref_t<decltype(hello)>> stored() { return durable<HTTPCount, client::HttpCount, HTTPCount>(hello); }
