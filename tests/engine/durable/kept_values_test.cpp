// A value that a run keeps is read back equal, or is refused when it is first written. The values are random, and some
// of them have no form in JSON.
#include "engine/describe.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/json/text.hpp"
#include "engine/json/walk.hpp"
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <variant>
using namespace weft;
using nlohmann::json;

namespace {
enum class Color { red, green };
BOOST_DESCRIBE_ENUM(Color, red, green)
struct Leaf {
    std::string text;
    double number = 0;
    float narrow = 0;
    long double wide = 0;
    bool operator==(const Leaf&) const = default;
};
BOOST_DESCRIBE_STRUCT(Leaf, (), (text, number, narrow, wide))
struct Kept {
    std::vector<Leaf> leaves;
    std::map<std::string, std::string> names;
    std::optional<json> maybe;
    std::variant<int, std::string, std::vector<int>> choice;
    JsonText arguments;
    json any;
    Color color = Color::red;
    std::optional<std::string> word;
    std::uint64_t large = 0;
    std::int64_t small = 0;
    bool operator==(const Kept& o) const {
        return leaves == o.leaves && names == o.names && maybe == o.maybe && choice == o.choice &&
               arguments.text == o.arguments.text && any == o.any && color == o.color && word == o.word &&
               large == o.large && small == o.small;
    }
};
BOOST_DESCRIBE_STRUCT(Kept, (), (leaves, names, maybe, choice, arguments, any, color, word, large, small))

class Draw {
public:
    explicit Draw(std::uint32_t seed) : random_(seed) {}
    std::size_t below(std::size_t n) { return std::size_t(random_() % n); }
    std::string text() {
        constexpr std::string_view parts[] = {"a", "\n",   "\xc3\xa9", "\xff", "\xed\xa0\x80", "\xf0\x9f\x98\x80",
                                              "{", "null", "\""};
        std::string all;
        for (auto n = below(4); n > 0; --n) {
            const auto part = below(40);
            if (part < std::size(parts)) all += parts[part];
            else all += char('a' + part % 26);
        }
        if (below(8) == 0) all += '\0';
        return all;
    }
    template <class T> T number() {
        switch (below(40)) {
        case 0: return std::numeric_limits<T>::quiet_NaN();
        case 1: return std::numeric_limits<T>::infinity();
        case 2: return T(-0.0);
        case 3: return std::numeric_limits<T>::denorm_min();
        case 4: return std::numeric_limits<T>::max();
        case 5: return T(1) / T(3);
        default: return T(double(std::int32_t(random_())) / 64);
        }
    }
    json any(int depth) {
        switch (below(depth > 0 ? 9 : 6)) {
        case 0: return nullptr;
        case 1: return text();
        case 2: return number<double>();
        case 3: return std::uint64_t(random_()) << 32 | random_();
        case 4: return -std::int64_t(random_());
        case 5: return below(30) ? json(true) : json::binary({1, 2});
        case 6: return json::array({any(depth - 1), any(depth - 1)});
        case 7: return below(20) ? json::array() : nested(60 + below(20));
        default: return {{text(), any(depth - 1)}};
        }
    }
    Kept kept() {
        Kept kept;
        for (auto n = below(3); n > 0; --n)
            kept.leaves.push_back({text(), number<double>(), number<float>(), number<long double>()});
        if (below(2)) kept.names[text()] = text();
        if (below(2)) kept.maybe = any(2);
        switch (below(3)) {
        case 0: kept.choice = int(random_()); break;
        case 1: kept.choice = text(); break;
        default: kept.choice = std::vector<int>{1, 2};
        }
        kept.arguments.text = below(2) ? text() : any(3).dump(-1, ' ', false, json::error_handler_t::ignore);
        kept.any = any(3);
        kept.color = Color(below(20) ? below(2) : 7);
        if (below(2)) kept.word = text();
        kept.large = std::uint64_t(random_()) << 32 | random_();
        kept.small = -std::int64_t(random_());
        return kept;
    }

private:
    static json nested(std::size_t depth) {
        json all = 1;
        for (; depth > 0; --depth) all = json::array({std::move(all)});
        return all;
    }
    std::mt19937 random_;
};
std::string written(const Kept& value) {
    return json_detail::write(json_detail::shape_of<Kept>, &value,
                              json_detail::Path("kept", json_detail::TextForm::unchanged))
        .dump();
}
Kept read_back(const std::string& text) {
    Kept value;
    json_detail::read(json_detail::shape_of<Kept>, parse_json(text), &value, json_detail::Path("kept"));
    return value;
}
}
TEST_CASE("a kept value is read back equal, or is refused when it is written") {
    std::size_t kept = 0, refused = 0;
    for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
        CAPTURE(seed);
        const auto value = Draw(seed).kept();
        std::string text;
        try {
            text = written(value);
        } catch (const Error& error) {
            REQUIRE(error.code() == Code::bad_json);
            ++refused;
            continue;
        }
        REQUIRE(read_back(text) == value);
        ++kept;
    }
    CHECK(kept > 1000);
    CHECK(refused > 1000);
}
TEST_CASE("a value that cannot be kept is refused with its place") {
    const auto refused = [](auto change, const char* why) {
        Kept value;
        change(value);
        CHECK_THROWS_WITH_AS(written(value), doctest::Contains(why), Error);
    };
    refused([](Kept& k) { k.leaves.push_back({.text = "\xff", .number = 0, .narrow = 0, .wide = 0}); },
            "kept.leaves[0].text: this text is not UTF-8");
    refused([](Kept& k) { k.names["\xff"] = ""; }, "kept.names: this text is not UTF-8");
    refused([](Kept& k) { k.any = {{"a", {"\xff"}}}; }, "kept.any: this text is not UTF-8");
    refused([](Kept& k) { k.any = std::nan(""); }, "not finite");
    refused([](Kept& k) { k.maybe = json(); }, "kept.maybe: an optional that contains an empty optional");
    refused([](Kept& k) { k.leaves.push_back({.text = "", .number = 0, .narrow = 0, .wide = 1.0L / 3}); },
            "a long double that no double equals");
}
