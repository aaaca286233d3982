// this type has no JSON form: describe it with BOOST_DESCRIBE_STRUCT
#include "engine/json.hpp"
using namespace weft;
struct Box {
    int count = 0;
};
#ifndef WRONG
BOOST_DESCRIBE_STRUCT(Box, (), (count))
#endif
struct Order {
    std::vector<Box> boxes;
};
BOOST_DESCRIBE_STRUCT(Order, (), (boxes))
auto order = to_json(Order{});
