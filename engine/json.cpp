// The parts that do not depend on a struct's type, so that they are compiled once. A path is a chain on the stack and
// becomes text only when something is wrong.
#include "engine/json.hpp"
#include "engine/utf8.hpp"
#include <cmath>

namespace weft::json_detail {
using nlohmann::json;

std::string Path::text() const {
    if (!parent_) return std::string(key_);
    auto before = parent_->text();
    if (!key_.data()) return before + "[" + std::to_string(index_) + "]";
    return before + (before.empty() ? "" : ".") + std::string(utf8_cut(key_, 60));
}
void Path::fail(const std::string& what) const {
    auto where = text();
    if (where.size() > 300) where = std::string(utf8_cut(where, 300)) + "...";
    throw Error(Code::bad_json, repair_utf8(where.empty() ? what : where + ": " + what));
}
void Path::mismatch(std::string_view expected, const json& got) const {
    std::string found = got.is_null()      ? "null"
                        : got.is_string()  ? "a string"
                        : got.is_boolean() ? "a boolean"
                        : got.is_number()  ? "a number"
                        : got.is_array()   ? "an array"
                        : got.is_object()  ? "an object"
                                           : "binary data";
    // A short value says more than its kind when the kind is right and the value is not.
    if (got.is_number() || (got.is_string() && expected.starts_with("one of")))
        if (auto value = got.dump(-1, ' ', false, json::error_handler_t::replace); value.size() <= 40) found = value;
    fail("expected " + std::string(expected) + ", got " + found);
}

json write_string(const std::string& text) { return is_utf8(text) ? text : repair_utf8(text); }

json write_text(const std::string& text) {
    try {
        auto value = parse_json(text, {.depth = 32, .exact = true});
        if (!value.is_string()) return value;
    } catch (const Error&) {}  // not JSON: it travels as a string
    return write_string(text);
}
std::string read_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void fail_unnamed(const Path& path, long long value, const std::string& names) {
    path.fail(std::to_string(value) + " has no name in this enum (" + names + ")");
}

namespace {
// Models write 5.0 where an integer is wanted; JSON Schema calls that an integer, too.
std::optional<std::int64_t> whole(const json& value) {
    auto number = value.get<double>();
    if (std::abs(number) > 9007199254740992.0 || std::trunc(number) != number) return {};
    return static_cast<std::int64_t>(number);
}
}
std::string expected_integer(std::int64_t low, std::uint64_t high) {
    return "an integer from " + std::to_string(low) + " to " + std::to_string(high);
}
std::int64_t read_signed(const json& value, std::int64_t low, std::int64_t high, const Path& path) {
    if (!value.is_number()) path.mismatch("an integer", value);
    std::optional<std::int64_t> number;
    if (value.is_number_float()) {
        if (!(number = whole(value))) path.mismatch("an integer", value);
    } else if (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t(high))
        number = value.get<std::int64_t>();
    if (!number || *number < low || *number > high) path.mismatch(expected_integer(low, std::uint64_t(high)), value);
    return *number;
}
std::uint64_t read_unsigned(const json& value, std::uint64_t high, const Path& path) {
    if (!value.is_number()) path.mismatch("an integer", value);
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= high) return value.get<std::uint64_t>();
    if (value.is_number_float()) {
        auto number = whole(value);
        if (!number) path.mismatch("an integer", value);
        if (*number >= 0 && std::uint64_t(*number) <= high) return std::uint64_t(*number);
    }
    if (value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
        std::uint64_t(value.get<std::int64_t>()) <= high && !value.is_number_unsigned())
        return std::uint64_t(value.get<std::int64_t>());
    path.mismatch(expected_integer(0, high), value);
}
double read_number(const json& value, double most, const Path& path) {
    if (!value.is_number()) path.mismatch("a number", value);
    auto number = value.get<double>();
    if (!(std::abs(number) <= most)) path.mismatch("a number in range", value);
    return number;
}

json nullable(json schema) {
    if (schema.contains("type") && schema["type"].is_string() && !schema.contains("enum")) {
        schema["type"] = json::array({schema["type"], "null"});
        return schema;
    }
    if (schema.empty()) return schema;  // anything, null included
    return {{"anyOf", json::array({std::move(schema), {{"type", "null"}}})}};
}
}
