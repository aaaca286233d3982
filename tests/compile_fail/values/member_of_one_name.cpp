// two members of this struct and its bases have the same name, and JSON would lose one of them
#include "engine/json.hpp"
using namespace weft;
struct Named {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(Named, (), (name))
struct Priced {
#ifdef WRONG
    std::string name;
#else
    std::string currency;
#endif
};
#ifdef WRONG
BOOST_DESCRIBE_STRUCT(Priced, (), (name))
#else
BOOST_DESCRIBE_STRUCT(Priced, (), (currency))
#endif
struct Order : Named, Priced {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (Named, Priced), (count))
auto order = to_json(Order{});
