// Any bytes as the arguments of a tool call give a bounded observation in valid UTF-8; and the codec writes each value
// in a form that it reads as the same value.
#include "engine/json.hpp"
#include "engine/testing/await.hpp"
#include "engine/text/utf8.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include <cstdint>
#include <cstdlib>

namespace {
using namespace weft;
enum class Colour { red, green };
BOOST_DESCRIBE_ENUM(Colour, red, green)
struct Point {
    int x;
    double y;
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, y))
struct Arguments {
    std::string text;
    std::optional<std::uint8_t> small;
    std::vector<std::variant<std::monostate, Point, std::string>> shapes;
    std::map<std::string, Colour> colours;
    JsonText any;
};
BOOST_DESCRIBE_STRUCT(Arguments, (), (text, small, shapes, colours, any))

std::string echo(const Arguments& arguments) {
    auto once = to_json(arguments).dump();
    auto twice = to_json(from_json<Arguments>(parse_json(once, {.depth = 100}))).dump();
    if (once != twice) std::abort();
    return once;
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto tools = [] {
        tools::Registry all;
        all.add(tools::make_tool("echo", "", echo));
        return all;
    }();
    std::string text(reinterpret_cast<const char*>(data), size);
    auto observation = testing::await(tools.call("echo", text));
    if (!is_utf8(observation.text) || observation.text.size() > (70u << 10)) std::abort();
    if (!observation.ok && !observation.text.starts_with("Error: ")) std::abort();
    return 0;
}
