// this type has no JSON form: describe it with BOOST_DESCRIBE_STRUCT
#include "workflows/catalog/entry.hpp"
using namespace weft;
struct AskEvent : StartEvent {};
struct ToldEvent : StopEvent {
    int count = 0;
};
#ifndef WRONG
BOOST_DESCRIBE_STRUCT(ToldEvent, (), (count))
#endif
ToldEvent tell(Context&, AskEvent) { return {}; }
constexpr auto teller = workflow("teller", step<tell>);
const auto entry = catalog::detail::make_entry<teller, [](auto&, auto&) { return teller; }>("tells");
