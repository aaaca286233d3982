// What a value is made of, as a table that is there at compile time: its fields, items or alternatives, and how to
// reach them. The tables of a workflow hold one for each event and slot that is described, so that everything can be
// written and read by code that has never heard of its type. engine/json.hpp makes JSON of it; nothing here knows of
// JSON.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::json_detail {
enum class Form : std::uint8_t {
    none,
    boolean,
    integer,
    number,
    string,
    text,
    any,
    null,
    optional,
    list,
    map,
    variant,
    names,
    tuple,
    time,
    object
};
// What is missing where a type has no form: of a class, of an enum, and of what cannot be described.
inline constexpr std::string_view undescribed =
    "has no JSON form: describe it with BOOST_DESCRIBE_STRUCT, as engine/describe.hpp shows";
inline constexpr std::string_view undescribed_enum =
    "has no JSON form: describe it with BOOST_DESCRIBE_ENUM, as engine/describe.hpp shows";
inline constexpr std::string_view foreign = "has no JSON form: use a type that engine/json.hpp lists in its place";

struct Shape;
using Table = const Shape& (*)();  // of a part
struct Field {
    std::string_view name;
    Table shape = nullptr;
    void* (*of)(void* object) = nullptr;
    bool keeps_default = false;  // it may be missing, and has its initialiser then
    bool constant = false;       // it is written, and left as it is by reading
};
struct Enumerator {
    std::string_view name;
    std::int64_t value = 0;
};
/// Called for each item, also with the key if it is that of a map.
using Each = void (*)(void* with, const std::string* key, const void* item);
using Fill = void (*)(void* with, void* item);

/// Functions are null for forms that have no use for them, and where a type does not allow what they do.
struct Shape {
    Form form = Form::none;
    bool is_signed = false;   // integers, names, times
    bool own_name = false;    // a list that is a class of its own
    bool is_array = false;    // a list of always `length` items
    bool is_set = false;      // a list that has no value twice
    bool any_order = false;   // a set without an order of its own
    std::uint32_t size = 0;   // of the value, in bytes
    std::string_view name;    // of the type
    std::string_view flaw;    // why it has no form
    std::string_view unread;  // why it can be written only
    std::string_view unit;    // of an integer or a number that is a duration, and of a time
    std::size_t length = 0;
    std::int64_t ticks = 0, seconds = 0;  // a time: so many ticks are so many seconds, and one of the two is 1

    std::span<const Field> fields;            // object, and tuple: without names
    std::span<const Enumerator> enumerators;  // names
    std::span<const Table> parts;             // optional, list, map: what is in it; variant: its alternatives
    void (*make)(void* at) = nullptr;         // the default value, where nothing is yet
    void (*with_default)(void* with, Fill) = nullptr;

    std::size_t (*index)(const void*) = nullptr;    // variant
    const void* (*current)(const void*) = nullptr;  // variant, optional: null if there is none
    /// The default in a variant or an optional; in an array the item that is there.
    void* (*emplace)(void*, std::size_t) = nullptr;
    void (*clear)(void*) = nullptr;                         // optional, list, map
    void (*each)(const void*, void* with, Each) = nullptr;  // list, map
    /// List, map: a default, and fills it. False: a set has the same value already.
    bool (*add)(void*, const std::string* key, void* with, Fill) = nullptr;
};
}
