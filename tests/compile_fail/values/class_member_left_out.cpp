// BOOST_DESCRIBE_STRUCT leaves out a member or a base of this struct, and JSON would lose it
#include "engine/json.hpp"
using namespace weft;
struct Base {
    int depth = 0;
};
BOOST_DESCRIBE_STRUCT(Base, (), (depth))
struct Order : Base {
    Order() = default;
    explicit Order(std::string i) : item(std::move(i)) {}
    bool urgent = false;
    std::string item, note;
    double price = 0;
};
#ifdef WRONG
BOOST_DESCRIBE_STRUCT(Order, (Base), (urgent, item, price))
#else
BOOST_DESCRIBE_STRUCT(Order, (Base), (urgent, item, price, note))
#endif
auto order = to_json(Order("tea"));
