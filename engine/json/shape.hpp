// The structure of a type as a table at compile time: its fields, items or alternatives, and access to them. The tables
// of a workflow have one for each described event and slot, so code without the types can write and read their values.
// engine/json.hpp makes JSON from it; this header does not know JSON.
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
// Sentences for a type without a form: a class, an enum, and a type that cannot be described.
inline constexpr std::string_view undescribed =
    "has no JSON form: describe it with BOOST_DESCRIBE_STRUCT, as engine/describe.hpp shows";
inline constexpr std::string_view undescribed_enum =
    "has no JSON form: describe it with BOOST_DESCRIBE_ENUM, as engine/describe.hpp shows";
inline constexpr std::string_view foreign = "has no JSON form: use a type that engine/json.hpp lists in its place";

struct Shape;
using Table = const Shape& (*)();  // a part's
struct Field {
    std::string_view name;
    Table shape = nullptr;
    void* (*of)(void* object) = nullptr;
    bool keeps_default = false;  // may be missing, and then keeps its initialiser
    bool constant = false;       // written, but not changed by reading
};
struct Enumerator {
    std::string_view name;
    std::int64_t value = 0;
};
/// Called for each item; with the key if it is a map's.
using Each = void (*)(void* with, const std::string* key, const void* item);
using Fill = void (*)(void* with, void* item);

/// Functions are null if the form does not need them, or the type does not allow them.
struct Shape {
    Form form = Form::none;
    bool is_signed = false;   // integers, names, times
    bool own_name = false;    // a list with its own class name
    bool is_array = false;    // a list of exactly `length` items
    bool is_set = false;      // a list without repeated values
    bool any_order = false;   // a set without an order
    std::uint32_t size = 0;   // the value's, in bytes
    std::string_view name;    // the type's
    std::string_view flaw;    // the reason why it has no form
    std::string_view unread;  // the reason why it cannot be read
    std::string_view unit;    // unit of a duration or a time
    std::size_t length = 0;
    std::int64_t ticks = 0, seconds = 0;  // a time: `ticks` of its unit are `seconds`; one of them is 1

    std::span<const Field> fields;            // object; tuple: without names
    std::span<const Enumerator> enumerators;  // names
    std::span<const Table> parts;             // optional, list, map: the item; variant: the alternatives
    void (*make)(void* at) = nullptr;         // constructs the default value in raw memory
    void (*with_default)(void* with, Fill) = nullptr;

    std::size_t (*index)(const void*) = nullptr;    // variant
    const void* (*current)(const void*) = nullptr;  // variant, optional: null if empty
    /// Makes a default value in a variant or an optional; returns an existing item of an array.
    void* (*emplace)(void*, std::size_t) = nullptr;
    void (*clear)(void*) = nullptr;                         // optional, list, map
    void (*each)(const void*, void* with, Each) = nullptr;  // list, map
    /// List, map: adds a default item and fills it. Returns false if a set already has the value.
    bool (*add)(void*, const std::string* key, void* with, Fill) = nullptr;
};
}
