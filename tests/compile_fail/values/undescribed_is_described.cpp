// undescribed_fields names a field that BOOST_DESCRIBE_STRUCT describes
#include "engine/json.hpp"
using namespace weft;
struct Page {
    std::string text;
    int width = 0;
#ifdef WRONG
    static constexpr std::string_view undescribed_fields[] = {"text"};
#else
    static constexpr std::string_view undescribed_fields[] = {"width"};
#endif
};
BOOST_DESCRIBE_STRUCT(Page, (), (text))
auto page = to_json(Page{});
