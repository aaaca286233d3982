// Messages name fields by our own tables and by numbers, never by the caller's keys.
#include "workflows/server/openai/fields.hpp"
#include "engine/text/utf8.hpp"
#include <cmath>

namespace weft::server {
using nlohmann::json;

void refuse_field(const std::string& field, const std::string& sentence) {
    OpenaiError error;
    error.message = excerpt(field.empty() ? sentence : field + ": " + sentence, 2000);
    if (!field.empty()) error.param = field;
    throw OpenaiRefusal(std::move(error));
}
std::string kind_of(const json& value) {
    switch (value.type()) {
    case json::value_t::null: return "null";
    case json::value_t::boolean: return "a boolean";
    case json::value_t::string: return "a text";
    case json::value_t::array: return "a list";
    case json::value_t::object: return "an object";
    default: return "a number";
    }
}

OpenaiFields::OpenaiFields(const json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object())
        refuse_field(place_, (place_.empty() ? "the body: " : "") + ("expected an object, got " + kind_of(object)));
}
std::string OpenaiFields::path(std::string_view key) const {
    return place_.empty() ? std::string(key) : place_ + '.' + std::string(key);
}
const json* OpenaiFields::find(std::string_view key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
}
bool OpenaiFields::boolean(std::string_view key) const {
    const auto* value = find(key);
    if (!value) return false;
    if (!value->is_boolean()) refuse_field(path(key), "expected true or false, got " + kind_of(*value));
    return value->get<bool>();
}
std::string OpenaiFields::text(std::string_view key, std::size_t most_bytes) const {
    const auto* value = find(key);
    if (!value) return {};
    if (!value->is_string()) refuse_field(path(key), "expected a text, got " + kind_of(*value));
    const auto& text = value->get_ref<const std::string&>();
    if (text.size() > most_bytes)
        refuse_field(path(key), "it is longer than " + std::to_string(most_bytes) + " bytes: send less");
    return text;
}
void OpenaiFields::expect_number(std::string_view key) const {
    const auto* value = find(key);
    if (value && !value->is_number()) refuse_field(path(key), "expected a number, got " + kind_of(*value));
}
void OpenaiFields::expect_count(std::string_view key) const {
    if (const auto number = integer(key); number && *number < 1) refuse_field(path(key), "it has to be 1 or more");
}
void OpenaiFields::expect_limit(std::string_view key) const {
    if (const auto number = integer(key); number && *number < 1 && *number != -1)
        refuse_field(path(key), "it has to be 1 or more, or -1 for no limit");
}
/// Returns a double, exact in sign and small values, since some languages write 5.0 for 5.
std::optional<double> OpenaiFields::integer(std::string_view key) const {
    const auto* value = find(key);
    if (!value) return {};
    if (!value->is_number()) refuse_field(path(key), "expected an integer, got " + kind_of(*value));
    const auto number = value->get<double>();
    if (!std::isfinite(number) || std::trunc(number) != number)
        refuse_field(path(key), "expected an integer, got a number with a fraction");
    return number;
}
void OpenaiFields::expect_list(std::string_view key) const {
    const auto* value = find(key);
    if (value && !value->is_array()) refuse_field(path(key), "expected a list, got " + kind_of(*value));
}
}
