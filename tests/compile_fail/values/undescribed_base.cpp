// a base class of this struct has members: describe it too
#include "engine/json.hpp"
using namespace weft;
struct Box {
    int count = 0;
};
#ifndef WRONG
BOOST_DESCRIBE_STRUCT(Box, (), (count))
#endif
struct Order : Box {
    std::string item;
};
BOOST_DESCRIBE_STRUCT(Order, (Box), (item))
auto order = from_json<Order>(nlohmann::json::object());
