// Shared by writing, reading and schemas: the place within a value, and the names of its parts.
#include "engine/json/walk.hpp"
#include "engine/error.hpp"
#include "engine/text/utf8.hpp"
#include <nlohmann/json.hpp>

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
    if (got.is_array() && expected.starts_with("an array of ")) found += " of " + std::to_string(got.size());
    // A short value tells more than its kind if the kind is right.
    if (got.is_number() || (got.is_string() && (expected.starts_with("one of") || expected.starts_with("a time"))))
        if (auto value = got.dump(-1, ' ', false, json::error_handler_t::replace); value.size() <= 40) found = value;
    fail("expected " + std::string(expected) + ", got " + found);
}

std::string enumerator_names(const Shape& s) {
    std::string names;
    for (auto& e : s.enumerators) (names += names.empty() ? "" : ", ") += e.name;
    return names;
}
std::string alternative_name(const Shape& s) {
    switch (s.form) {
    case Form::boolean: return "boolean";
    case Form::integer: return s.unit.empty() ? "integer" : std::string(s.unit);
    case Form::number: return s.unit.empty() ? "number" : std::string(s.unit);
    case Form::time: return "time";
    case Form::string: return "string";
    case Form::text:
    case Form::any: return "json";
    case Form::optional: return alternative_name(s.parts[0]()) + "?";
    case Form::map: return alternative_name(s.parts[0]()) + "{}";
    case Form::list:
        if (s.is_array) return alternative_name(s.parts[0]()) + '[' + std::to_string(s.length) + ']';
        if (!s.own_name) return alternative_name(s.parts[0]()) + "[]";
        break;
    case Form::variant: {
        std::string names;
        for (auto part : s.parts) names += (names.empty() ? "" : "|") + alternative_name(part());
        return names;
    }
    default: break;
    }
    return std::string(s.name);
}
void fail_without_form(const Shape& s, const Path& path) { path.fail(std::string(s.name) + ' ' + std::string(s.flaw)); }
}
