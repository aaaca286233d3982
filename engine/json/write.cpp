// Writes values as JSON, by the table of their type.
#include "engine/error.hpp"
#include "engine/json/integers.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/text.hpp"
#include "engine/json/time.hpp"
#include "engine/json/walk.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

namespace weft::json_detail {
using nlohmann::json;

namespace {
/// True for stored values, which must be read back equal.
bool keeps_all(const Path& path) { return path.texts() == TextForm::unchanged; }
template <class T> T load(const void* value) {
    T number;
    std::memcpy(&number, value, sizeof number);
    return number;
}
json write_integer(const Shape& s, const void* value) {
    return with_integer(s, [value]<class T>(T) { return json(load<T>(value)); });
}
json write_time(const Shape& s, const void* value, const Path& path) {
    std::optional<UtcTime> time;
    with_integer(s, [&]<class T>(T) {
        using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        const auto count = Wide{load<T>(value)};
        const auto ticks = decltype(count + 0)(s.ticks);
        auto whole = std::int64_t(count / ticks), part = std::int64_t(count % ticks);
        if (part < 0) --whole, part += s.ticks;  // parts of a second count forward, also before 1970
        const bool fits = whole >= 0 || std::is_signed_v<T>;
        if (fits && !__builtin_mul_overflow(whole, s.seconds, &whole))
            time = UtcTime{whole, part * (1'000'000'000 / s.ticks)};
    });
    const auto text = time ? time_text(*time) : std::string();
    if (text.empty()) path.fail("a time outside of the years 0 to 9999 has no form in JSON");
    return text;
}
json write_number(const Shape& s, const void* value, const Path& path) {
    const long double exact = s.size == sizeof(float)    ? load<float>(value)
                              : s.size == sizeof(double) ? load<double>(value)
                                                         : load<long double>(value);
    const auto number = double(exact);
    if (!std::isfinite(number)) path.fail("JSON has no number that is not finite");
    if (keeps_all(path) && number != exact) path.fail("a long double that no double equals would be stored as another");
    return number;
}
std::string safe(const std::string& text, const Path& path) {
    if (is_utf8(text)) return text;
    if (keeps_all(path)) path.fail("this text is not UTF-8, and would be stored as another: keep bytes as base64");
    return repair_utf8(text);
}
json write_text(const std::string& text, const Path& path) {
    const auto texts = path.texts();
    try {
        const auto depth = std::min<std::size_t>(32, most_depth - path.depth());
        auto value = parse_json(text, {.depth = depth, .exact = true});
        if (!value.is_string() && (texts == TextForm::as_value || value.dump() == text)) return value;
    } catch (const Error&) {}  // other text becomes a string
    return safe(text, path);
}
/// Returns null if the JSON is read back equal, else the reason.
const char* why_not_kept(const json& value, std::size_t depth) {
    if (depth > most_depth) return "this JSON is nested too deeply to be read again";
    if (value.is_number_float() && !std::isfinite(value.get<double>())) return "JSON has no number that is not finite";
    if (value.is_binary() || value.is_discarded()) return "this value has no form in JSON";
    if (value.is_string() && !is_utf8(value.get_ref<const std::string&>())) return "this text is not UTF-8";
    if (!value.is_structured()) return nullptr;
    for (auto& [key, item] : value.items()) {
        if (!is_utf8(key)) return "this text is not UTF-8";
        if (const auto* why = why_not_kept(item, depth + 1)) return why;
    }
    return nullptr;
}
json write_any(const json& value, const Path& path) {
    if (const auto* why = keeps_all(path) ? why_not_kept(value, path.depth()) : nullptr) path.fail(why);
    return value;
}
json write_name(const Shape& s, const void* value, const Path& path) {
    const auto number = with_integer(s, [value]<class T>(T) { return std::int64_t(load<T>(value)); });
    json name;
    for (auto& e : s.enumerators)
        if (e.value == number) name = e.name;
    if (name.is_null()) path.fail(std::to_string(number) + " has no name in this enum (" + enumerator_names(s) + ")");
    return name;
}
json write_optional(const Shape& s, const void* value, const Path& path) {
    const void* item = s.current(value);
    auto written = item ? write(s.parts[0](), item, path) : json();
    if (item && written.is_null() && keeps_all(path))
        path.fail("an optional that contains an empty optional would be stored as empty");
    return written;
}
json write_variant(const Shape& s, const void* value, const Path& path) {
    const void* current = s.current(value);
    if (!current) path.fail("this variant holds nothing, because an assignment to it has failed");
    const Shape& alternative = s.parts[s.index(value)]();
    if (alternative.form == Form::null) return nullptr;
    const auto name = alternative_name(alternative);
    auto object = json::object();
    object[name] = write(alternative, current, Path(path, name));
    return object;
}
json write_list(const Shape& s, const void* value, const Path& path) {
    auto array = json::array();
    const auto add = [&](const void* item) { array.push_back(write(s.parts[0](), item, Path(path, array.size()))); };
    s.each(value, const_cast<void*>(static_cast<const void*>(&add)),
           [](void* with, const std::string*, const void* item) { (*static_cast<decltype(add)*>(with))(item); });
    if (s.any_order) std::sort(array.begin(), array.end());  // gives equal values equal JSON
    return array;
}
json write_map(const Shape& s, const void* value, const Path& path) {
    auto object = json::object();
    const auto add = [&](const std::string& key, const void* item) {
        object[safe(key, path)] = write(s.parts[0](), item, Path(path, key));
    };
    s.each(
        value, const_cast<void*>(static_cast<const void*>(&add)),
        [](void* with, const std::string* key, const void* item) { (*static_cast<decltype(add)*>(with))(*key, item); });
    return object;
}
json write_tuple(const Shape& s, const void* value, const Path& path) {
    auto array = json::array();
    for (auto& item : s.fields)
        array.push_back(write(item.shape(), item.of(const_cast<void*>(value)), Path(path, array.size())));
    return array;
}
json write_object(const Shape& s, const void* value, const Path& path) {
    auto object = json::object();
    for (auto& field : s.fields) {
        const void* member = field.of(const_cast<void*>(value));  // only computes its address
        object[std::string(field.name)] = write(field.shape(), member, Path(path, field.name));
    }
    return object;
}
}

json write(const Shape& s, const void* value, const Path& path) {
    switch (s.form) {
    case Form::none: break;
    case Form::boolean: return *static_cast<const bool*>(value);
    case Form::integer: return write_integer(s, value);
    case Form::number: return write_number(s, value, path);
    case Form::string: return safe(*static_cast<const std::string*>(value), path);
    case Form::text: return write_text(static_cast<const JsonText*>(value)->text, path);
    case Form::any: return write_any(*static_cast<const json*>(value), path);
    case Form::null: return nullptr;
    case Form::optional: return write_optional(s, value, path);
    case Form::list: return write_list(s, value, path);
    case Form::map: return write_map(s, value, path);
    case Form::variant: return write_variant(s, value, path);
    case Form::names: return write_name(s, value, path);
    case Form::tuple: return write_tuple(s, value, path);
    case Form::time: return write_time(s, value, path);
    case Form::object: return write_object(s, value, path);
    }
    fail_without_form(s, path);
}
}
