// Durations, times and the containers of the standard library in JSON: their form, equal values after reading, and
// refused values.
#include "engine/describe.hpp"
#include "engine/json.hpp"
#include "engine/json/order.hpp"
#include "tests/support/sentence.hpp"
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <doctest/doctest.h>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <random>
#include <set>
#include <unordered_map>
#include <unordered_set>
using namespace weft;
using nlohmann::json;
namespace chrono = std::chrono;

namespace {
template <class D> using At = chrono::time_point<chrono::system_clock, D>;
using Second = At<chrono::seconds>;
using Nanosecond = At<chrono::nanoseconds>;

/// Like boost::circular_buffer: with a capacity, without which it keeps no value.
template <class T, class A> struct Ring {
    using value_type = T;
    std::size_t capacity = 0;
    void push_back(T);
    void pop_front();
    void clear();
    T* begin();
};
/// A comparison with a state.
struct Towards {
    int goal = 0;
    bool operator()(int a, int b) const { return std::abs(a - goal) < std::abs(b - goal); }
};
template <class T> constexpr bool has_form = json_detail::form<T> != json_detail::Form::none;

struct Place {
    int x = 0;
    std::string name;
    auto operator<=>(const Place&) const = default;
};
BOOST_DESCRIBE_STRUCT(Place, (), (x, name))
struct Trip {
    chrono::milliseconds wait{0};
    chrono::duration<double> taken{0};
    chrono::duration<std::uint32_t, std::ratio<1, 30>> frames{0};
    chrono::system_clock::time_point begun;
    std::optional<At<chrono::days>> day;
    std::pair<std::string, Place> stop;
    std::array<int, 3> code{};
    std::array<std::pair<int, bool>, 2> flags{};
    std::set<std::string> words;
    std::set<std::vector<std::set<int>>> nested;
    std::set<Place, std::greater<>> places;
    std::deque<std::deque<int>> queues;
    std::list<bool> bits;
    std::unordered_set<std::string> names;
    std::variant<int, chrono::seconds, chrono::hours, Second, std::deque<int>, std::array<int, 2>> either;
    bool operator==(const Trip&) const = default;
};
BOOST_DESCRIBE_STRUCT(Trip, (),
                      (wait, taken, frames, begun, day, stop, code, flags, words, nested, places, queues, bits, names,
                       either))

std::string sentence(auto&& act) { return testing::sentence(Code::bad_json, act); }
template <class T> std::string refusal(const json& value) {
    return sentence([&] { from_json<T>(value); });
}
template <class T> std::string text_of(T time) { return to_json(time).template get<std::string>(); }
template <class T> json stored(const T& value) {
    return json_detail::write(json_detail::shape_of<T>, &value,
                              json_detail::Path("", json_detail::TextForm::unchanged));
}
template <class T> bool comes_back(const T& value) { return from_json<T>(parse_json(stored(value).dump())) == value; }
Trip drawn(std::mt19937_64& random) {
    const auto below = [&](int n) { return int(random() % unsigned(n)); };
    Trip trip;
    trip.wait = chrono::milliseconds(std::int64_t(random()));
    trip.taken = chrono::duration<double>(double(below(1'000'000)) / 7);
    trip.frames = decltype(trip.frames)(std::uint32_t(random()));
    trip.begun += chrono::nanoseconds(std::int64_t(random()));
    if (below(2)) trip.day = At<chrono::days>(chrono::days(below(2'000'000) - 700'000));
    trip.stop = {std::to_string(below(9)), {below(9), "\xc3\xa9"}};
    for (auto& number : trip.code) number = int(random());
    trip.flags[1] = {below(9), below(2) == 0};
    for (int n = below(5); n > 0; --n) {
        trip.words.insert(std::to_string(below(99)));
        trip.nested.insert({{below(9), below(9)}, {}, {below(9)}});
        trip.places.insert({below(9), "p"});
        trip.queues.push_back({below(9), below(9)});
        trip.bits.push_back(below(2) == 0);
        trip.names.insert(std::to_string(below(99)));
    }
    switch (below(6)) {
    case 0: trip.either = chrono::seconds(below(9)); break;
    case 1: trip.either = chrono::hours(below(9)); break;
    case 2: trip.either = Second(chrono::seconds(below(9))); break;
    case 3: trip.either = std::deque<int>{1, below(9)}; break;
    case 4: trip.either = std::array<int, 2>{1, below(9)}; break;
    default: trip.either = below(9);
    }
    return trip;
}
}

TEST_CASE("durations, times and containers are equal after they were stored") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 300; ++i) {
        const auto trip = drawn(random);
        CHECK(comes_back(trip));
        CHECK(stored(trip) == stored(from_json<Trip>(stored(trip))));
    }
    CHECK(comes_back(Trip()));
    CHECK(comes_back(chrono::nanoseconds::min()));
    CHECK(comes_back(chrono::nanoseconds::max()));
    CHECK(comes_back(Nanosecond::min()));
    CHECK(comes_back(Nanosecond::max()));
    CHECK(comes_back(std::array<int, 0>()));
    CHECK(comes_back(std::deque<std::string>{"a", ""}));
}
TEST_CASE("a duration is the number of its units, and the schema names the unit") {
    CHECK(to_json(chrono::milliseconds(1500)) == 1500);
    CHECK(to_json(chrono::duration<double, std::milli>(0.5)) == 0.5);
    CHECK(from_json<chrono::seconds>(5.0) == chrono::seconds(5));
    CHECK(schema<chrono::milliseconds>() == json{{"type", "integer"}, {"description", "milliseconds"}});
    CHECK(schema<chrono::duration<float>>() == json{{"type", "number"}, {"description", "seconds"}});
    CHECK(schema<std::optional<chrono::minutes>>() ==
          json{{"type", json::array({"integer", "null"})}, {"description", "minutes"}});
    CHECK(schema<chrono::duration<unsigned, std::ratio<1, 30>>>() ==
          json{{"type", "integer"}, {"minimum", 0}, {"description", "units of 1/30 seconds"}});
    CHECK(schema<chrono::duration<int, std::ratio<100>>>()["description"] == "units of 100 seconds");

    CHECK(refusal<chrono::seconds>("5s") == "expected an integer, got a string");
    CHECK(refusal<chrono::seconds>(1.5) == "expected an integer, got 1.5");
    CHECK(refusal<chrono::duration<std::int8_t>>(128) == "expected an integer from -128 to 127, got 128");
    CHECK(sentence([] { to_json(chrono::duration<double>(std::nan(""))); }) == "JSON has no number that is not finite");
}
TEST_CASE("a time is a text in UTC, with the decimals that its type has") {
    CHECK(text_of(Second()) == "1970-01-01T00:00:00Z");
    CHECK(text_of(Nanosecond(chrono::nanoseconds(1'790'000'000'123'456'789))) == "2026-09-21T14:13:20.123456789Z");
    CHECK(text_of(At<chrono::milliseconds>(chrono::milliseconds(-1))) == "1969-12-31T23:59:59.999Z");
    CHECK(text_of(Nanosecond::min()) == "1677-09-21T00:12:43.145224192Z");
    CHECK(text_of(Nanosecond::max()) == "2262-04-11T23:47:16.854775807Z");
    CHECK(text_of(At<chrono::days>(chrono::days(19'782))) == "2024-02-29T00:00:00Z");
    CHECK(text_of(At<chrono::duration<std::uint64_t, std::nano>>(
              chrono::duration<std::uint64_t, std::nano>(UINT64_MAX))) == "2554-07-21T23:34:33.709551615Z");
    CHECK(text_of(Second(chrono::seconds(-62'167'219'200))) == "0000-01-01T00:00:00Z");
    CHECK(text_of(Second(chrono::seconds(253'402'300'799))) == "9999-12-31T23:59:59Z");
    CHECK(schema<Second>() == json{{"type", "string"}, {"format", "date-time"}});

    const auto outside = "a time outside of the years 0 to 9999 has no form in JSON";
    for (const std::int64_t seconds : {-62'167'219'201, 253'402'300'800, INT64_MIN, INT64_MAX})
        CHECK(sentence([&] { to_json(Second(chrono::seconds(seconds))); }) == outside);
    for (const auto days : {INT64_MIN, INT64_MAX})
        CHECK(sentence([&] {
                  using Days = chrono::duration<std::int64_t, std::ratio<86400>>;
                  to_json(At<Days>(Days(days)));
              }) == outside);
}
TEST_CASE("a time is read with an offset from UTC and the decimals of its type, or is refused") {
    const auto seconds = [](const char* text) { return from_json<Second>(text).time_since_epoch().count(); };
    CHECK(seconds("1970-01-01T02:00:10+02:00") == 10);
    CHECK(seconds("1969-12-31T19:00:00-05:00") == 0);
    CHECK(seconds("1970-01-01T00:00:01.000Z") == 1);
    CHECK(from_json<Nanosecond>("1969-12-31T23:59:59.5Z").time_since_epoch() == chrono::milliseconds(-500));

    for (const char* text :
         {"", "2026", "2026-01-31", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z",
          "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
          "2026-01-31T12:00:60Z", "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00.1234567890Z", "2026-01-31T12:00:00Zx",
          "2026-01-31T12:00:00+0200", "2026-01-31T12:00:00+24:00", "+026-01-31T12:00:00Z", "2026-1-31T12:00:00Z"})
        CHECK(refusal<Second>(text) == "expected a time such as 2026-01-31T12:00:00Z, got " + json(text).dump());
    CHECK(refusal<Second>(5) == "expected a time such as 2026-01-31T12:00:00Z, got 5");
    CHECK(refusal<Second>("2026-01-31T12:00:00.5Z") ==
          "expected a time in whole seconds, got \"2026-01-31T12:00:00.5Z\"");
    CHECK(refusal<At<chrono::days>>("2026-01-31T12:00:00Z") ==
          "expected a time in whole days, got \"2026-01-31T12:00:00Z\"");
    for (const char* text :
         {"2262-04-11T23:47:16.854775808Z", "1677-09-21T00:12:43.145224191Z", "9999-01-01T00:00:00Z"})
        CHECK(refusal<Nanosecond>(text) == "expected a time that its type can hold, got " + json(text).dump());
    CHECK(refusal<At<chrono::duration<unsigned>>>("1969-12-31T23:59:59Z").starts_with("expected a time that its type"));
}
TEST_CASE("pairs and arrays are JSON arrays of the same length") {
    CHECK(to_json(std::pair(1, std::string("a"))).dump() == R"([1,"a"])");
    CHECK(schema<std::pair<int, bool>>() == json::parse(R"({"type": "array", "minItems": 2, "maxItems": 2,
          "prefixItems": [{"type": "integer"}, {"type": "boolean"}]})"));
    CHECK(refusal<std::pair<int, int>>({1}) == "expected an array of 2, got an array of 1");
    CHECK(to_json(std::array{1, 2, 3}).dump() == "[1,2,3]");
    CHECK(schema<std::array<int, 3>>() ==
          json::parse(R"({"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "integer"}})"));
    CHECK(refusal<std::array<int, 3>>({1, 2}) == "expected an array of 3, got an array of 2");
    CHECK(refusal<std::array<int, 2>>({1, "2"}) == "[1]: expected an integer, got a string");
    CHECK(to_json(std::array<const int, 1>{4}).dump() == "[4]");
}
TEST_CASE("a set is an array in its order, and a repeated value is refused") {
    CHECK(to_json(std::set<std::string>{"b", "a"}).dump() == R"(["a","b"])");
    CHECK(to_json(std::set<int, std::greater<>>{1, 2}).dump() == "[2,1]");
    CHECK(from_json<std::set<int>>({3, 1}) == std::set{1, 3});
    CHECK(schema<std::set<int>>() ==
          json::parse(R"({"type": "array", "uniqueItems": true, "items": {"type": "integer"}})"));
    CHECK(refusal<std::set<int>>({1, 2, 1}) == "[2]: this value is in the set already");
    CHECK(refusal<std::unordered_set<int>>({1, 1}) == "[1]: this value is in the set already");
    CHECK(refusal<std::set<int>>({{"a", 1}}) == "expected an array, got an object");

    std::unordered_set<int> upward, downward;
    for (int i = 0; i < 100; ++i) upward.insert(i), downward.insert(99 - i);
    CHECK(to_json(upward) == to_json(downward));
}
TEST_CASE("alternatives have names when they are durations, times or containers") {
    const auto key = [](const decltype(Trip::either)& either) { return to_json(either).items().begin().key(); };
    CHECK(key(1) == "integer");
    CHECK(key(chrono::seconds(1)) == "seconds");
    CHECK(key(chrono::hours(1)) == "hours");
    CHECK(key(Second()) == "time");
    CHECK(key(std::deque<int>()) == "integer[]");
    CHECK(key(std::array<int, 2>()) == "integer[2]");
}
TEST_CASE("fields within pairs, arrays and sets keep the order of their declaration") {
    const auto in_order = [](const auto& value) {
        const auto& shape = json_detail::shape_of<std::decay_t<decltype(value)>>;
        return json_detail::in_declared_order(to_json(value), shape).dump();
    };
    CHECK(in_order(std::pair<int, Place>(1, {2, "a"})) == R"([1,{"x":2,"name":"a"}])");
    CHECK(in_order(std::array<Place, 1>{{{2, "a"}}}) == R"([{"x":2,"name":"a"}])");
    CHECK(in_order(std::set<Place>{{2, "a"}}) == R"([{"x":2,"name":"a"}])");
}
TEST_CASE("a duration, a time or a set is refused when JSON would change it") {
    using json_detail::form;
    using json_detail::Form;
    static_assert(form<chrono::steady_clock::time_point> == Form::none);
    static_assert(form<At<chrono::duration<double>>> == Form::none);
    static_assert(form<At<chrono::duration<std::int64_t, std::pico>>> == Form::none);
    static_assert(form<chrono::duration<char>> == Form::none);
    static_assert(form<std::multiset<int>> == Form::none);
    static_assert(form<std::unordered_multiset<int>> == Form::none);
    static_assert(form<std::set<int>> == Form::list && form<std::string> == Form::string);
    CHECK(sentence([] {
              to_json(std::deque<double>{0, INFINITY}, "all");
          }) == "all[1]: JSON has no number that is not finite");
}

TEST_CASE("a container has a JSON form only when JSON keeps its whole state") {
    using Compare = bool (*)(int, int);
    using Hash = std::size_t (*)(const std::string&);
    using Nearest = decltype([](const std::string& a, const std::string& b) { return a < b; });

    CHECK(has_form<std::pmr::deque<int>>);
    CHECK(has_form<std::pmr::list<int>>);
    CHECK(!has_form<Ring<int, std::allocator<int>>>);
    CHECK(has_form<std::set<int, std::greater<>>>);
    CHECK(!has_form<std::set<int, Towards>>);
    CHECK(!has_form<std::set<int, Compare>>);
    CHECK(!has_form<std::unordered_set<std::string, Hash>>);
    CHECK(has_form<std::map<std::string, int, Nearest>>);
    CHECK(!has_form<std::map<std::string, int, bool (*)(const std::string&, const std::string&)>>);
    CHECK(has_form<std::unordered_map<std::string, int>>);
    CHECK(!has_form<
          std::unordered_map<std::string, int, std::hash<std::string>, std::function<bool(std::string, std::string)>>>);
}
