// BOOST_DESCRIBE_STRUCT leaves out a member or a base of this struct, and JSON would lose it
#include "engine/json.hpp"
using namespace weft;
struct Order : StartEvent {
    std::string item;
    int count = 1, seen = 0;
    std::string cache[2];
    static constexpr std::string_view undescribed_fields[] = {"seen", "cache"};
};
#ifdef WRONG
BOOST_DESCRIBE_STRUCT(Order, (), (item))
#else
BOOST_DESCRIBE_STRUCT(Order, (), (item, count))
#endif
auto order = to_json(Order{});
