// Described structs to and from JSON, and their JSON Schema: the only place that knows how. For .cpp files; a header
// that only declares structs includes engine/describe.hpp, which is cheap.
//
//     struct Order { std::string item; int count; std::optional<std::string> note; };
//     BOOST_DESCRIBE_STRUCT(Order, (), (item, count, note))
//     auto text = to_json(order).dump();
//     auto order = from_json<Order>(parse_json(text), "order");    // "order.count: expected an integer, got a string"
//     auto form = schema<Order>();                                   // type, properties, required
//
// What becomes what:
//   bool, integers, doubles   the same; a double that is not finite is refused, an integer out of range too
//   std::string               a string; bytes that are no UTF-8 become U+FFFD on the way out, so dump() never throws
//   described enum            the enumerator's name
//   described struct          an object of its members and those of its described bases; an empty struct is {}
//   vector, Growing<T>        an array; a class derived from Growing too
//   map with string keys      an object
//   optional<T>               null if empty; the field may be missing when read
//   monostate                 null
//   variant<A, vector<B>>     {"A": ...} or {"B[]": ...}: one key that names the alternative; a monostate is null
//   JsonText, nlohmann::json  any value (engine/json_text.hpp)
//
// Fields that a struct does not know are ignored. A field that is missing is an error unless it is optional<>, or the
// struct names it among those that keep their initialiser; the schema shows such defaults and does not require them:
//     struct Search { std::string text; int limit = 10;
//                     static constexpr std::string_view optional_fields[] = {"limit"}; };
// Both ways and in schemas, 64 levels of nesting are the most. Every failure is Error{bad_json} with the path in it.
#pragma once
#include "engine/json_parse.hpp"
#include "engine/json_read.hpp"
#include "engine/json_schema.hpp"
#include "engine/json_write.hpp"

namespace weft {
/// `root` is what the paths in error messages start with.
template <class T> nlohmann::json to_json(const T& value, std::string_view root = "") {
    return json_detail::write(value, json_detail::Path(root));
}
template <class T> T from_json(const nlohmann::json& json, std::string_view root = "") {
    T value{};
    json_detail::read(json, value, json_detail::Path(root));
    return value;
}
template <class T> nlohmann::json schema() { return json_detail::schema<T>(json_detail::Path("")); }
}
