// One line for each struct gives JSON and its schema.
#include "engine/json.hpp"
#include "engine/describe.hpp"
#include <iostream>
using namespace weft;

// [described]
enum class Unit { metre, foot };
BOOST_DESCRIBE_ENUM(Unit, metre, foot)

struct LengthEvent {
    double value = 0;
    Unit unit = Unit::metre;
    std::optional<std::string> note;
};
BOOST_DESCRIBE_STRUCT(LengthEvent, (), (value, unit, note))
// [/described]

// [undescribed]
struct Page {
    std::string text;
    int width = 0;  // computed again from the text
    static constexpr std::string_view undescribed_fields[] = {"width"};
};
BOOST_DESCRIBE_STRUCT(Page, (), (text))
// [/undescribed]

int main() {
    // [use]
    std::cout << to_json(LengthEvent{1.5, Unit::foot, {}}).dump() << '\n';
    std::cout << schema<LengthEvent>()["required"].dump() << '\n';
    try {
        from_json<LengthEvent>(parse_json(R"({"value": "long", "unit": "metre"})"), "length");
    } catch (const Error& error) { std::cout << error.what() << '\n'; }
    // [/use]
}
// prints:
// {"note":null,"unit":"foot","value":1.5}
// ["value","unit"]
// length.value: expected a number, got a string
