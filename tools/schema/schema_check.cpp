// One walk collects all schemas with their places; then each reference must lead to one of these, and the references
// form a graph.
#include "tools/schema/schema_check.hpp"
#include "engine/text/utf8.hpp"
#include "tools/schema/pattern.hpp"
#include "tools/schema/schema_graph.hpp"
#include <map>
#include <nlohmann/json.hpp>

namespace weft::tools {
namespace {
using nlohmann::json;
constexpr int deepest = 64;
constexpr std::size_t most_parts = 10'000;
// Limits for a chain of parts on one value, a chain of parts, and visits to one value, which cost the validator stack
// or time. Values have at most 64 levels, so the first limit counts 64 times on the stack.
constexpr std::size_t longest_on_value = 16, longest_way = 300, most_visits = 10'000;

template <class... Names> bool is_one_of(std::string_view name, Names... names) { return ((name == names) || ...); }

class Check {
public:
    explicit Check(const json& root) : root_(root) {}
    std::string look() {
        if (auto why = look(root_, "#", 0); !why.empty()) return why;
        for (const auto& [schema, place] : schemas_)
            if (auto why = reference(*schema, place); !why.empty()) return why;
        return extent();
    }
    const std::vector<std::pair<const json*, std::string>>& schemas() const { return schemas_; }

private:
    static std::string at(const std::string& place) { return " at " + excerpt(place, 120); }
    std::string look(const json& schema, const std::string& place, int depth) {
        if (schema.is_array()) return each(schema, place, depth);
        if (!schema.is_object() && !schema.is_boolean()) return {};
        if (depth > deepest) return "is nested more than 64 deep";
        known_.emplace(&schema, schemas_.size());
        schemas_.emplace_back(&schema, place);
        if (schemas_.size() > most_parts) return "has more than 10000 parts";
        if (!schema.is_object()) return {};
        if (auto why = keywords(schema, place); !why.empty()) return why;
        for (const auto& [name, value] : schema.items()) {
            if (is_one_of(name, "enum", "const", "default", "examples")) continue;  // values, not schemas
            const auto inside = place + "/" + name;
            const bool named = is_one_of(name, "properties", "$defs", "definitions", "dependentSchemas",
                                         "dependencies");
            if (auto why = named && value.is_object() ? each(value, inside, depth) : look(value, inside, depth + 1);
                !why.empty())
                return why;
        }
        return {};
    }
    std::string each(const json& part, const std::string& place, int depth) {
        for (const auto& [name, value] : part.items())
            if (auto why = look(value, place + "/" + name, depth + 1); !why.empty()) return why;
        return {};
    }
    std::string keywords(const json& schema, const std::string& place) const {
        if (schema.contains("patternProperties"))
            return "has a patternProperties" + at(place) + ", which is not checked here: leave it out";
        if (const auto found = schema.find("pattern"); found != schema.end() && found->is_string()) try {
                Pattern(found->get<std::string>());
            } catch (const BadPattern& bad) { return "has a pattern" + at(place) + " that " + bad.what(); }
        if (const auto found = schema.find("multipleOf"); found != schema.end())
            if (!found->is_number() || !(found->get<double>() > 0))
                return "has a multipleOf" + at(place) + " that is not a number above 0";
        return {};
    }
    std::string reference(const json& schema, const std::string& place) const {
        const auto ref = schema.is_object() ? schema.find("$ref") : schema.end();
        if (ref == schema.end()) return {};
        const auto* text = ref->get_ptr<const std::string*>();
        if (!text || !text->starts_with('#'))
            return "refers" + at(place) + " to something outside of it: put all into one document";
        if (text->find('%') != text->npos || text->ends_with('/'))  // the validator would read another path
            return "refers" + at(place) + " to " + excerpt(*text, 120) + ", with a '%' or a '/' at the end: rename it";
        const auto* target = find(*text);
        if (!target) return "refers" + at(place) + " to " + excerpt(*text, 120) + ", which is not there";
        if (!known_.contains(target))
            return "refers" + at(place) + " to " + excerpt(*text, 120) + ", which is not a schema";
        return {};
    }
    /// A reference may lead to an enclosing schema if a part on the way applies to an inner value: depth is finite.
    std::string extent() const {
        SchemaGraph on_value(schemas_.size()), all(schemas_.size());
        for (std::size_t i = 0; i < schemas_.size(); ++i) {
            const auto& schema = *schemas_[i].first;
            if (!schema.is_object()) continue;
            const auto lead = [&](const json& to, bool same_value) {
                const auto part = known_.find(&to);
                if (part == known_.end()) return;
                if (same_value) on_value.add(i, part->second);
                all.add(i, part->second);
            };
            for (const auto& [name, value] : schema.items()) {
                const bool same = is_one_of(name, "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "extends",
                                            "dependencies", "dependentSchemas");
                const bool named = is_one_of(name, "properties", "patternProperties", "dependencies",
                                             "dependentSchemas");
                const bool inner = is_one_of(name, "additionalProperties", "items", "additionalItems", "prefixItems",
                                             "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties");
                if (name == "$ref") lead(*find(value.get_ref<const std::string&>()), true);
                else if (!same && !named && !inner) continue;
                else if (value.is_array() || (named && value.is_object()))
                    for (const auto& each : value) lead(each, same);
                else lead(value, same);
            }
        }
        if (on_value.is_endless()) return "has a part that leads back to itself without going into the value";
        if (on_value.ways(most_visits) >= most_visits) return "looks at one value too often: combine fewer parts";
        if (on_value.longest_way() > longest_on_value || all.longest_way() > longest_way)
            return "leads from part to part too far: nest it less";
        return {};
    }
    const json* find(const std::string& ref) const {
        try {
            const json::json_pointer pointer(ref.substr(1));
            return root_.contains(pointer) ? &root_.at(pointer) : nullptr;
        } catch (const json::exception&) { return nullptr; }
    }
    const json& root_;
    std::vector<std::pair<const json*, std::string>> schemas_;  // schemas with their places
    std::map<const json*, std::size_t> known_;                  // indexes in schemas_
};
}

std::string schema_mistake(const json& schema) { return Check(schema).look(); }
std::vector<json*> schemas_in(json& schema) {
    Check check(schema);
    check.look();
    std::vector<json*> all;
    for (const auto& [found, place] : check.schemas()) all.push_back(const_cast<json*>(found));  // the caller's schema
    return all;
}
}
