// Reads JSON into values, by the table of their type.
#include "engine/json/integers.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/text.hpp"
#include "engine/json/time.hpp"
#include "engine/json/walk.hpp"
#include "engine/text/name_text.hpp"
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace weft::json_detail {
using nlohmann::json;

namespace {
// Models write 5.0 for integers; JSON Schema accepts that, too.
std::optional<std::int64_t> whole(const json& value) {
    auto number = value.get<double>();
    if (std::abs(number) > 9007199254740992.0 || std::trunc(number) != number) return {};
    return static_cast<std::int64_t>(number);
}
template <class T> T integer_in(const json& value, const Path& path) {
    std::optional<T> integer;
    const auto take = [&](auto number) {
        if (std::in_range<T>(number)) integer = T(number);
    };
    if (value.is_number_unsigned()) take(value.get<std::uint64_t>());
    else if (value.is_number_integer()) take(value.get<std::int64_t>());
    else if (const auto number = value.is_number() ? whole(value) : std::nullopt) take(*number);
    else path.mismatch("an integer", value);
    constexpr auto low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    if (!integer) path.mismatch("an integer from " + std::to_string(low) + " to " + std::to_string(high), value);
    return *integer;
}
double read_number(const json& value, double most, const Path& path) {
    if (!value.is_number()) path.mismatch("a number", value);
    auto number = value.get<double>();
    if (!(std::abs(number) <= most)) path.mismatch("a number in range", value);
    return number;
}

/// Copies bytes, because the value's type may be another one of the same size: long long for long, or an enum.
template <class T> void store(void* value, T number) { std::memcpy(value, &number, sizeof number); }
void read_integer(const Shape& s, const json& json, void* value, const Path& path) {
    with_integer(s, [&]<class T>(T) { store(value, integer_in<T>(json, path)); });
}
void read_real(const Shape& s, const json& json, void* value, const Path& path) {
    const bool is_float = s.size == sizeof(float);
    const auto number = read_number(
        json, is_float ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max(), path);
    if (is_float) *static_cast<float*>(value) = float(number);
    else if (s.size == sizeof(double)) *static_cast<double*>(value) = number;
    else *static_cast<long double*>(value) = number;
}
/// Throws if the type has a coarser unit or a smaller range.
void read_time(const Shape& s, const json& json, void* value, const Path& path) {
    const auto time = json.is_string() ? time_in(json.get_ref<const std::string&>()) : std::nullopt;
    if (!time) path.mismatch("a time such as 2026-01-31T12:00:00Z", json);
    const std::int64_t nanoseconds_each = 1'000'000'000 / s.ticks;
    if (time->nanoseconds % nanoseconds_each != 0 || time->seconds % s.seconds != 0 ||
        (s.seconds != 1 && time->nanoseconds != 0))
        path.mismatch("a time in whole " + std::string(s.unit), json);
    auto whole = time->seconds / s.seconds, part = time->nanoseconds / nanoseconds_each;
    if (whole < 0 && part > 0) ++whole, part -= s.ticks;  // else the earliest times of the type would not fit
    with_integer(s, [&]<class T>(T) {
        T count = 0;
        if (__builtin_mul_overflow(whole, s.ticks, &count) || __builtin_add_overflow(count, part, &count))
            path.mismatch("a time that its type can hold", json);
        store(value, count);
    });
}

std::optional<std::size_t> null_alternative(const Shape& s) {
    for (std::size_t i = 0; i < s.parts.size(); ++i)
        if (s.parts[i]().form == Form::null) return i;
    return {};
}
std::string expected(const Shape& s) {
    switch (s.form) {
    case Form::boolean: return "a boolean";
    case Form::integer: return "an integer";
    case Form::number: return "a number";
    case Form::string: return "a string";
    case Form::null: return "null";
    case Form::list: return s.is_array ? "an array of " + std::to_string(s.length) : "an array";
    case Form::time: return "a time";
    case Form::tuple: return "an array of " + std::to_string(s.fields.size());
    case Form::names: return "one of " + enumerator_names(s);
    case Form::optional: return expected(s.parts[0]()) + " or null";
    case Form::text:
    case Form::any: return "a value";
    case Form::variant: break;
    default: return "an object";
    }
    std::string keys;
    for (auto part : s.parts)
        if (const Shape& a = part(); a.form != Form::null) keys += (keys.empty() ? "" : ", ") + alternative_name(a);
    return (null_alternative(s) ? "null, or an object" : "an object") + (" with one of the keys " + keys);
}
[[noreturn]] void fail_unread(const Shape& s, const Path& path) {
    path.fail(std::string(s.name) + " cannot be read: " + std::string(s.unread));
}

void read_optional(const Shape& s, const json& json, void* value, const Path& path) {
    if (json.is_null() && s.clear) return s.clear(value);
    if (!s.emplace) fail_unread(s, path);
    read(s.parts[0](), json, s.emplace(value, 0), path);
}
void read_items(const Shape& s, void* value, const std::string* key, const json& item, const Path& path) {
    const auto fill = [&](void* at) { read(s.parts[0](), item, at, path); };
    if (!s.add(value, key, const_cast<void*>(static_cast<const void*>(&fill)),
               [](void* with, void* at) { (*static_cast<decltype(fill)*>(with))(at); }))
        path.fail("this value is in the set already");
}
void read_array(const Shape& s, const json& json, void* value, const Path& path) {
    if (!json.is_array() || json.size() != s.length) path.mismatch(expected(s), json);
    if (!s.emplace) fail_unread(s, path);
    for (std::size_t i = 0; i < json.size(); ++i) read(s.parts[0](), json[i], s.emplace(value, i), Path(path, i));
}
void read_list(const Shape& s, const json& json, void* value, const Path& path) {
    if (s.is_array) return read_array(s, json, value, path);
    if (!json.is_array()) path.mismatch(expected(s), json);
    if (!s.add || !s.clear) fail_unread(s, path);
    s.clear(value);
    for (std::size_t i = 0; i < json.size(); ++i) read_items(s, value, nullptr, json[i], Path(path, i));
}
void read_map(const Shape& s, const json& json, void* value, const Path& path) {
    if (!json.is_object()) path.mismatch(expected(s), json);
    if (!s.add) fail_unread(s, path);
    s.clear(value);
    for (auto& [key, item] : json.get_ref<const json::object_t&>()) read_items(s, value, &key, item, Path(path, key));
}
std::optional<std::size_t> alternative_named(const Shape& s, std::string_view name) {
    for (std::size_t i = 0; i < s.parts.size(); ++i)
        if (const Shape& a = s.parts[i](); a.form != Form::null && alternative_name(a) == name) return i;
    return {};
}
void read_variant(const Shape& s, const json& json, void* value, const Path& path) {
    if (!s.emplace) fail_unread(s, path);
    if (const auto i = null_alternative(s); i && json.is_null()) return void(s.emplace(value, *i));
    if (!json.is_object() || json.size() != 1) path.mismatch(expected(s), json);
    const auto& [name, inner] = *json.get_ref<const json::object_t&>().begin();
    auto i = alternative_named(s, name);
    if (!i) i = alternative_named(s, core::same_from_every_compiler(name));  // for stored values
    if (!i) path.mismatch(expected(s), json);
    read(s.parts[*i](), inner, s.emplace(value, *i), Path(path, name));
}
void read_name(const Shape& s, const json& json, void* value, const Path& path) {
    for (auto& e : s.enumerators)
        if (json.is_string() && json.get_ref<const std::string&>() == e.name)
            return with_integer(s, [&]<class T>(T) { store(value, T(e.value)); });
    path.mismatch(expected(s), json);
}
void read_tuple(const Shape& s, const json& json, void* value, const Path& path) {
    if (!json.is_array() || json.size() != s.fields.size()) path.mismatch(expected(s), json);
    for (std::size_t i = 0; i < s.fields.size(); ++i)
        if (auto& item = s.fields[i]; !item.constant) read(item.shape(), json[i], item.of(value), Path(path, i));
}
void read_object(const Shape& s, const json& json, void* value, const Path& path) {
    if (!json.is_object()) path.mismatch(expected(s), json);
    for (auto& field : s.fields) {
        if (field.constant) continue;
        const Shape& shape = field.shape();
        const Path inner(path, field.name);
        const auto found = json.find(field.name);
        if (found != json.end()) read(shape, *found, field.of(value), inner);
        else if (shape.form != Form::optional && !field.keeps_default)
            inner.fail("missing, expected " + expected(shape));
    }
}
}

void read(const Shape& s, const json& json, void* value, const Path& path) {
    const auto demand = [&](bool fits) {
        if (!fits) path.mismatch(expected(s), json);
    };
    switch (s.form) {
    case Form::none: fail_without_form(s, path);
    case Form::boolean:
        demand(json.is_boolean());
        *static_cast<bool*>(value) = json.get<bool>();
        return;
    case Form::integer: return read_integer(s, json, value, path);
    case Form::number: return read_real(s, json, value, path);
    case Form::string:
        demand(json.is_string());
        *static_cast<std::string*>(value) = json.get_ref<const std::string&>();
        return;
    case Form::text:
        static_cast<JsonText*>(value)->text = json.is_string()
                                                  ? json.get<std::string>()
                                                  : json.dump(-1, ' ', false, json::error_handler_t::replace);
        return;
    case Form::any: *static_cast<nlohmann::json*>(value) = json; return;
    case Form::null: return demand(json.is_null());
    case Form::optional: return read_optional(s, json, value, path);
    case Form::list: return read_list(s, json, value, path);
    case Form::map: return read_map(s, json, value, path);
    case Form::variant: return read_variant(s, json, value, path);
    case Form::names: return read_name(s, json, value, path);
    case Form::tuple: return read_tuple(s, json, value, path);
    case Form::time: return read_time(s, json, value, path);
    case Form::object: return read_object(s, json, value, path);
    }
}
}
