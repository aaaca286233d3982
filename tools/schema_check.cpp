#include "tools/schema_check.hpp"
#include "engine/utf8.hpp"
#include <nlohmann/json.hpp>

namespace weft::tools {
namespace {
using nlohmann::json;
constexpr int deepest = 64, longest_chain = 32;

class Check {
public:
    explicit Check(const json& root) : root_(root) {}
    std::string look(const json& schema, const std::string& place, int depth) {
        if (!schema.is_object()) return {};
        if (depth > deepest) return "is nested more than 64 deep";
        for (const char* name : {"pattern", "patternProperties"})
            if (schema.contains(name))
                return std::string("has a ") + name + at(place) + ", and patterns are not checked: leave it out";
        if (const auto found = schema.find("multipleOf"); found != schema.end())
            if (!found->is_number() || !(found->get<double>() > 0))
                return "has a multipleOf" + at(place) + " that is no number above 0";
        if (auto why = reference(schema, place); !why.empty()) return why;
        for (const char* name : {"properties", "$defs", "definitions", "dependentSchemas"})
            if (const auto found = schema.find(name); found != schema.end() && found->is_object())
                for (const auto& [key, inner] : found->items())
                    if (auto why = look(inner, place + "/" + name + "/" + key, depth + 1); !why.empty()) return why;
        for (const char* name : {"items", "additionalProperties", "not", "if", "then", "else", "contains",
                                 "propertyNames", "anyOf", "oneOf", "allOf", "prefixItems", "additionalItems"})
            if (const auto found = schema.find(name); found != schema.end())
                if (auto why = each(*found, place + "/" + name, depth + 1); !why.empty()) return why;
        return {};
    }

private:
    static std::string at(const std::string& place) { return " at " + excerpt(place, 120); }
    std::string each(const json& part, const std::string& place, int depth) {
        if (!part.is_array()) return look(part, place, depth);
        for (std::size_t i = 0; i < part.size(); ++i)
            if (auto why = look(part[i], place + "/" + std::to_string(i), depth); !why.empty()) return why;
        return {};
    }
    /// A reference may lead into what it stands in: only a chain of nothing but references never ends.
    std::string reference(const json& schema, const std::string& place) const {
        const json* target = &schema;
        for (int steps = 0; target->is_object() && target->contains("$ref"); ++steps) {
            const auto& ref = (*target)["$ref"];
            const auto* text = ref.get_ptr<const std::string*>();
            if (!text || !text->starts_with('#'))
                return "refers" + at(place) + " to something outside of it: put all into one document";
            if (steps == longest_chain) return "has a $ref" + at(place) + " that leads back to itself";
            target = find(*text);
            if (!target) return "refers" + at(place) + " to " + excerpt(*text, 120) + ", which is not there";
        }
        return {};
    }
    const json* find(const std::string& ref) const {
        try {
            const json::json_pointer pointer(ref.substr(1));
            return root_.contains(pointer) ? &root_.at(pointer) : nullptr;
        } catch (const json::exception&) { return nullptr; }
    }
    const json& root_;
};
}

std::string schema_mistake(const json& schema) { return Check(schema).look(schema, "#", 0); }
}
