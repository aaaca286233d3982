// BOOST_DESCRIBE_STRUCT leaves out a member or a base of this struct, and JSON would lose it
#include "engine/durable.hpp"
using namespace weft;
struct Request : StartEvent {
    std::string user;
};
BOOST_DESCRIBE_STRUCT(Request, (), (user))
struct OrderEvent : Request {
    std::string item;
};
#ifdef WRONG
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (item))
#else
BOOST_DESCRIBE_STRUCT(OrderEvent, (Request), (item))
#endif
struct SentEvent : StopEvent {
    std::string item;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (item))
SentEvent send(Context&, OrderEvent order) { return {.item = order.item}; }
inline constexpr auto shop = workflow("shop", step<send>);
const auto stored = durable<>(shop);
