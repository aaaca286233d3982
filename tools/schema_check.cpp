// One walk collects every schema with its place; then each reference has to lead to one of these.
#include "tools/schema_check.hpp"
#include "engine/utf8.hpp"
#include "tools/pattern.hpp"
#include <nlohmann/json.hpp>
#include <set>

namespace weft::tools {
namespace {
using nlohmann::json;
constexpr int deepest = 64, longest_chain = 32;

template <class... Names> bool is_one_of(std::string_view name, Names... names) { return ((name == names) || ...); }

class Check {
public:
    explicit Check(const json& root) : root_(root) {}
    std::string look() {
        if (auto why = look(root_, "#", 0); !why.empty()) return why;
        for (const auto& [schema, place] : schemas_)
            if (auto why = reference(*schema, place); !why.empty()) return why;
        return {};
    }
    const std::vector<std::pair<const json*, std::string>>& schemas() const { return schemas_; }

private:
    static std::string at(const std::string& place) { return " at " + excerpt(place, 120); }
    std::string look(const json& schema, const std::string& place, int depth) {
        if (schema.is_array()) return each(schema, place, depth);
        if (!schema.is_object() && !schema.is_boolean()) return {};
        if (depth > deepest) return "is nested more than 64 deep";
        schemas_.emplace_back(&schema, place);
        known_.insert(&schema);
        if (!schema.is_object()) return {};
        if (auto why = keywords(schema, place); !why.empty()) return why;
        for (const auto& [name, value] : schema.items()) {
            if (is_one_of(name, "enum", "const", "default", "examples")) continue;  // values, no schemas
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
                return "has a multipleOf" + at(place) + " that is no number above 0";
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
            if (!known_.contains(target))
                return "refers" + at(place) + " to " + excerpt(*text, 120) + ", which is no schema";
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
    std::vector<std::pair<const json*, std::string>> schemas_;  // and where they stand
    std::set<const json*> known_;
};
}

std::string schema_mistake(const json& schema) { return Check(schema).look(); }
std::vector<json*> schemas_in(json& schema) {
    Check check(schema);
    check.look();
    std::vector<json*> all;
    for (const auto& [found, place] : check.schemas()) all.push_back(const_cast<json*>(found));  // in what was given
    return all;
}
}
