// a class derived from Growing is an array in JSON, which has no room for further members
#include "engine/json.hpp"
using namespace weft;
struct History : Growing<int> {
#ifdef WRONG
    int dropped = 0;
#endif
};
auto history = to_json(History());
