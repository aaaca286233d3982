// Converts described structs to and from JSON, and makes their JSON Schema. For .cpp files; headers that only declare
// structs include the cheap engine/describe.hpp.
//
//     struct Order { std::string item; int count; std::optional<std::string> note; };
//     BOOST_DESCRIBE_STRUCT(Order, (), (item, count, note))
//     auto text = to_json(order).dump();
//     auto order = from_json<Order>(parse_json(text), "order");    // "order.count: expected an integer, got a string"
//     auto form = schema<Order>();                                   // type, properties, required
// The conversions:
//   bool, integers, doubles   the same; infinite doubles, NaN and integers out of range are errors
//   std::string               a string; writing turns invalid UTF-8 into U+FFFD, so dump() never throws
//   described enum            the enumerator's name
//   described struct          an object of its members and those of its described bases; an empty struct is {}
//   vector, deque, list       an array; also Growing<T> and classes derived from it
//   set, unordered_set        an array; a repeated value is an error; as for maps, comparator and hash are types
//                             without state, not function pointers
//   array, pair, tuple        an array of the same length
//   map with string keys      an object
//   optional<T>               null if empty; the field may be missing when read
//   monostate                 null
//   variant<A, vector<B>>     {"A": ...} or {"B[]": ...}: one key, the alternative's name; a monostate is null
//   JsonText, nlohmann::json  any value (engine/json/text.hpp)
//   chrono durations          the count, an integer or a number by its type; the schema names the unit
//   system_clock time_point   a text in UTC, "2026-01-31T12:00:00.25Z": exact to nanoseconds; reading accepts
//                             an offset, "+02:00", and refuses a time that its type would round
//
// Unknown fields are ignored. A missing field is an error unless it is optional<>, or the struct lists it among those
// that keep their initialiser; the schema shows these defaults and does not require the fields:
//     struct Search { std::string text; int limit = 10;
//                     static constexpr std::string_view optional_fields[] = {"limit"}; };
// A member without a description is a compile error, unless the struct excludes it from JSON by name. For structs with
// constructors the compiler compares sizes, so it notices only a member that makes the struct larger:
//     struct Page { std::string text; int width = 0;
//                   static constexpr std::string_view undescribed_fields[] = {"width"}; };
// A const field is written, and ignored when read; in data that a durable run stores it is a compile error. Values and
// schemas have at most 64 levels of nesting. Each failure throws Error{bad_json} with the path.
#pragma once
#include "engine/error.hpp"
#include "engine/json/demand.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/json/walk.hpp"

namespace weft {
/// Paths in error messages start with `root`.
template <class T> nlohmann::json to_json(const T& value, std::string_view root = "") {
    [[maybe_unused]] constexpr auto* checked = &json_detail::demand<T, false>;
    return json_detail::write(json_detail::shape_of<T>, &value, json_detail::Path(root));
}
template <class T> T from_json(const nlohmann::json& json, std::string_view root = "") {
    [[maybe_unused]] constexpr auto* checked = &json_detail::demand<T, true>;
    T value = T();
    json_detail::read(json_detail::shape_of<T>, json, &value, json_detail::Path(root));
    return value;
}
template <class T> nlohmann::json schema() {
    [[maybe_unused]] constexpr auto* checked = &json_detail::demand<T, false>;
    return json_detail::schema(json_detail::shape_of<T>, json_detail::Path(""));
}
}
