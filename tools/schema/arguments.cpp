// valijson's errors are unclear, so this file writes its own. valijson would match patterns and formats by std::regex,
// which overflows the stack on long texts: both get private keywords, and RE2.
#include "tools/schema/arguments.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/schema/number.hpp"
#include "tools/schema/pattern.hpp"
#include "tools/schema/schema_check.hpp"
#include <cmath>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <unordered_set>
#define VALIJSON_USE_EXCEPTIONS 1  // without exceptions it ends the process
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace weft::tools {
using nlohmann::json;
namespace {
constexpr std::size_t most_summary = 1000, most_mistake = 500;

std::string cut(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    return std::string(utf8_cut(text, most)) + "...";
}
std::string joined(const json& array, const char* between, auto&& each) {
    std::string all;
    for (auto& item : array) all += (all.empty() ? "" : between) + each(item);
    return all;
}

// ----- a schema as one line for a model

std::string brief(const json& schema, int depth = 0) {
    if (!schema.is_object() || depth > 16) return "...";
    auto inner = [&](const json& s) { return brief(s, depth + 1); };
    if (auto e = schema.find("enum"); e != schema.end() && e->is_array())
        return joined(*e, " or ", [](const json& v) { return v.dump(); });
    for (auto* choice : {"anyOf", "oneOf"})
        if (auto c = schema.find(choice); c != schema.end() && c->is_array()) return joined(*c, " or ", inner);
    auto type = schema.find("type");
    if (type == schema.end()) return "anything";
    if (type->is_array())
        return joined(*type, " or ", [](const json& v) { return v.is_string() ? v.get<std::string>() : "..."; });
    if (*type == "array") return "[" + (schema.contains("items") ? inner(schema["items"]) : "anything") + ", ...]";
    if (*type != "object") return type->is_string() ? type->get<std::string>() : "...";
    std::string fields;
    const auto required = schema.value("required", json::array());
    const auto properties = schema.value("properties", json::object());
    for (auto& [name, property] : properties.items()) {
        bool needed = std::find(required.begin(), required.end(), json(name)) != required.end();
        fields += (fields.empty() ? "\"" : ", \"") + name + (needed ? "\": " : "\" (optional): ") + inner(property);
    }
    if (auto more = schema.find("additionalProperties"); more != schema.end() && more->is_object())
        fields += (fields.empty() ? "any key: " : ", any other key: ") + inner(*more);
    return "{" + fields + "}";
}

// ----- the validator's errors in plain words

std::string kind(const json& value) {
    return value.is_null()      ? "null"
           : value.is_string()  ? "a string"
           : value.is_boolean() ? "a boolean"
           : value.is_number()  ? "a number"
           : value.is_array()   ? "an array"
                                : "an object";
}
struct ValuePlace {
    std::string text;
    const json* value;   // null: absent in the arguments
    const json* schema;  // null: the path leads through anyOf and the like
};
void enter(ValuePlace& place, std::string step) {  // "[name]" or "[3]"
    if (step.size() < 2) return;
    step = step.substr(1, step.size() - 2);
    auto* value = std::exchange(place.value, nullptr);
    auto* schema = std::exchange(place.schema, nullptr);
    auto child = [](const json* parent, const std::string& key) -> const json* {
        if (!parent || !parent->is_object()) return nullptr;
        auto found = parent->find(key);
        return found == parent->end() ? nullptr : &*found;
    };
    if (value && value->is_array()) {
        place.text += "[" + step + "]";
        if (auto i = std::strtoull(step.c_str(), nullptr, 10); i < value->size()) place.value = &(*value)[i];
        place.schema = child(schema, "items");
    } else {
        place.text += "." + step;
        place.value = child(value, step);
        place.schema = child(child(schema, "properties"), step);
    }
}
constexpr std::string_view unlike = "does not match the pattern ", no_such = "is no ";
std::string in_our_words(const valijson::ValidationResults::Error& error, ValuePlace place) {
    for (std::size_t i = 1; i < error.context.size(); ++i) enter(place, error.context[i]);
    auto& what = error.description;
    if (what.starts_with(unlike) || what.starts_with(no_such)) return place.text + ": " + what;
    constexpr std::string_view missing = "Missing required property '";
    if (what.starts_with(missing)) {
        auto name = what.substr(missing.size(), what.find('\'', missing.size()) - missing.size());
        return place.text + "." + name + ": missing";
    }
    constexpr std::string_view unwanted = "could not be validated using 'properties'";
    if (what.find(unwanted) != what.npos) {
        const auto end = what.rfind('\''), begin = end == what.npos || end == 0 ? what.npos : what.rfind('\'', end - 1);
        if (begin != what.npos && begin > what.find(unwanted) + unwanted.size())
            return place.text + ": has no " + what.substr(begin + 1, end - begin - 1) + ", which was given";
    }
    bool about_kind = what.find("'type' constraint") != what.npos || what.find("enum") != what.npos ||
                      what.find("anyOf") != what.npos;
    if (about_kind && place.schema && place.value) {
        auto got = place.value->is_primitive() ? cut(place.value->dump(), 60) : kind(*place.value);
        if (place.value->is_string() && place.schema->value("type", json()) != "string") got = kind(*place.value);
        return place.text + ": expected " + brief(*place.schema) + ", got " + got;
    }
    auto sentence = what;
    while (sentence.ends_with('.')) sentence.pop_back();
    if (!sentence.empty()) sentence[0] = lower(sentence[0]);
    return place.text + ": " + sentence;
}

// ----- keywords that valijson would check in another way

using valijson::adapters::Adapter;
/// Returns the mistake in a value; empty: none.
using KeywordCheck = std::function<std::string(const Adapter& target)>;

class KeywordConstraint final : public valijson::constraints::PolyConstraint {
public:
    explicit KeywordConstraint(KeywordCheck check) : check_(std::move(check)) {}
    bool validate(const Adapter& target, const std::vector<std::string>& context,
                  valijson::ValidationResults* results) const override {
        const auto mistake = check_(target);
        if (results && !mistake.empty()) results->pushError(context, mistake);
        return mistake.empty();
    }

private:
    Constraint* cloneInto(void* place) const override { return new (place) KeywordConstraint(*this); }
    std::size_t sizeOf() const override { return sizeof *this; }
    KeywordCheck check_;
};
class KeywordBuilder final : public valijson::ConstraintBuilder {
public:
    /// `check_of`: the check for the keyword's value.
    explicit KeywordBuilder(KeywordCheck (*check_of)(const Adapter& value)) : check_of_(check_of) {}
    valijson::constraints::Constraint* make(const Adapter& value) const override {
        return new KeywordConstraint(check_of_(value));
    }

private:
    KeywordCheck (*check_of_)(const Adapter&);
};

// ----- patterns and formats, which valijson would match by std::regex

using TextTest = std::function<bool(const std::string&)>;
/// A text must pass the test; other values pass.
KeywordCheck check_by(TextTest test, std::string mistake) {
    return [test = std::move(test), mistake = std::move(mistake)](const Adapter& target) {
        return !target.isString() || test(target.asString()) ? std::string() : mistake;
    };
}
/// Checks the month and day at the end of a text that has the form of a date.
bool is_day(std::string_view text) {
    const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
    const int month = number(text.size() - 5), day = number(text.size() - 2);
    const bool short_one = month == 4 || month == 6 || month == 9 || month == 11;
    return day <= (month == 2 ? 29 : short_one ? 30 : 31);
}
TextTest test_of(const std::string& format) {
    static const std::string day = "[0-9]+-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])",
                             time = "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?"
                                    "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
    static const Pattern days("^" + day + "$"), times("^" + time + "$"), both("^" + day + "[Tt]" + time + "$");
    if (format == "date") return [](const std::string& text) { return days.is_in(text) && is_day(text); };
    if (format == "time") return [](const std::string& text) { return times.is_in(text); };
    if (format == "date-time")
        return [](const std::string& text) {
            return both.is_in(text) && is_day(std::string_view(text).substr(0, text.find_first_of("Tt")));
        };
    return [](const std::string&) { return true; };
}
KeywordCheck pattern_check(const Adapter& value) {
    const auto expression = value.asString();
    return check_by([pattern = Pattern(expression)](const std::string& text) { return pattern.is_in(text); },
                    std::string(unlike) + cut(expression, 200));
}
KeywordCheck format_check(const Adapter& value) {
    const auto format = value.asString();
    return check_by(test_of(format), std::string(no_such) + cut(format, 60));
}

// ----- limits of one validation: a schema may multiply its work at each level of the value

// The total takes about a second, however large an untrusted value is.
constexpr std::size_t most_looks = 100'000, looks_per_value = 8, most_counted_values = 200'000;
thread_local std::size_t looks_left = 0;  // a validation runs on one thread, and is never nested

std::size_t count(const json& value) {
    std::size_t all = 1;
    if (value.is_structured())
        for (const auto& inner : value) all += count(inner);
    return all;
}
/// The cost of one look at a schema, by the number of compared values.
std::size_t weight(const json& schema) {
    std::size_t compared = 0;
    for (const char* name : {"enum", "const"})
        if (const auto found = schema.find(name); found != schema.end()) compared += count(*found);
    for (const char* name : {"required", "properties"})
        if (const auto found = schema.find(name); found != schema.end()) compared += found->size();
    return 1 + compared / 8;
}
KeywordCheck look_check(const Adapter& value) {
    return [cost = std::size_t(value.asInteger())](const Adapter&) {
        if (cost > looks_left) throw std::runtime_error("its schema looks at it too often");
        looks_left -= cost;
        return std::string();
    };
}
/// Equal only for equal values.
std::string key_of(const Adapter& value) {
    if (value.isString()) return json(value.asString()).dump(-1, ' ', false, json::error_handler_t::replace);
    if (value.isBool()) return value.asBool() ? "true" : "false";
    if (value.isInteger()) return std::to_string(value.asInteger());
    if (value.isDouble()) {
        const auto number = value.asDouble();
        return std::abs(number) < exact_integers && std::trunc(number) == number ? std::to_string(std::int64_t(number))
                                                                                 : json(number).dump();
    }
    std::string all;
    if (value.isArray()) {
        value.applyToArray([&all](const Adapter& inner) {
            all += key_of(inner) + ",";
            return true;
        });
        return "[" + all + "]";
    }
    if (!value.isObject()) return "null";
    value.applyToObject([&all](const std::string& name, const Adapter& inner) {
        all += json(name).dump(-1, ' ', false, json::error_handler_t::replace) + ":" + key_of(inner) + ",";
        return true;
    });
    return "{" + all + "}";
}
/// The library's own check compares all pairs of items.
std::string doubled_item(const Adapter& target) {
    if (!target.isArray()) return {};
    std::unordered_set<std::string> seen;
    const bool unique = target.applyToArray([&seen](const Adapter& item) { return seen.insert(key_of(item)).second; });
    return unique ? std::string() : "item " + std::to_string(seen.size()) + " is like one before it";
}
KeywordCheck unique_check(const Adapter&) { return doubled_item; }
/// Renames a keyword to a private one.
void take_over(json& schema, const char* keyword, const char* our_name) {
    const auto found = schema.find(keyword);
    if (found == schema.end() || !found->is_string()) return;
    auto value = std::move(*found);
    schema.erase(found);
    schema[our_name] = std::move(value);
}
constexpr const char *our_pattern = "weft:pattern", *our_format = "weft:format", *our_look = "weft:look",
                     *our_unique = "weft:unique";
}

struct Validator::CompiledSchema {
    json text;
    valijson::Schema schema;
};

namespace {
const json& checked(const json& schema) {
    if (!schema.is_object() || schema.value("type", json()) != "object")
        throw Error(Code::usage, "the schema of a tool's arguments is an object's: {\"type\": \"object\", ...}");
    return schema;
}
}

Validator::Validator(const json& schema) : Validator(checked(schema), "arguments") {}
Validator::Validator(const json& schema, std::string subject)
    : subject_(std::move(subject)), summary_(cut(brief(schema), most_summary)) {
    if (!schema.is_object()) throw Error(Code::usage, "the schema of the " + subject_ + " is not a JSON object");
    if (const auto why = schema_mistake(schema); !why.empty())
        throw Error(Code::usage, "the schema of the " + subject_ + " " + why);
    auto compiled = std::make_unique<CompiledSchema>();
    compiled->text = schema;
    try {
        auto inner_schemas = schemas_in(compiled->text);
        std::erase_if(inner_schemas, [](const json* inner) { return !inner->is_object(); });  // some are removed below
        for (auto* inner : inner_schemas) {
            take_over(*inner, "pattern", our_pattern);
            take_over(*inner, "format", our_format);
            if (inner->value("uniqueItems", json()) == true) {
                inner->erase("uniqueItems");
                (*inner)[our_unique] = true;
            }
            (*inner)[our_look] = weight(*inner);
        }
        valijson::SchemaParser parser;
        parser.addConstraintBuilder(our_pattern, new KeywordBuilder(pattern_check));  // the parser deletes it
        parser.addConstraintBuilder(our_format, new KeywordBuilder(format_check));
        parser.addConstraintBuilder(our_look, new KeywordBuilder(look_check));
        parser.addConstraintBuilder(our_unique, new KeywordBuilder(unique_check));
        parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(compiled->text), compiled->schema);
    } catch (const std::exception& e) {
        throw Error(Code::usage, "the schema of the " + subject_ + " is not valid: " + e.what());
    }
    compiled_ = std::move(compiled);
}
Validator::~Validator() = default;

std::string Validator::mistake(const json& value) const {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    looks_left = most_looks + looks_per_value * std::min(count(value), most_counted_values);
    try {
        if (validator.validate(compiled_->schema, valijson::adapters::NlohmannJsonAdapter(value), &results)) return "";
    } catch (const std::exception& e) {  // such as a number that does not fit
        return cut(subject_ + ": cannot be checked (" + e.what() + ")", most_mistake);
    }
    // The innermost error says most; those around it only repeat that an inner part is wrong.
    const valijson::ValidationResults::Error* best = nullptr;
    for (auto& error : results)
        if (!best || error.context.size() > best->context.size()) best = &error;
    if (!best) return "they do not fit";
    return cut(in_our_words(*best, {.text = subject_, .value = &value, .schema = &compiled_->text}), most_mistake);
}
}
