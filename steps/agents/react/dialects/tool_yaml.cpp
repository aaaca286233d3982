// JSON objects are sorted by name, so the order of the parameters is a separate argument. Every text that YAML could
// read as another type is quoted.
#include "steps/agents/react/dialects/tool_yaml.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/text/literals.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents::inline react_steps {
namespace {
using nlohmann::json;
using YamlKeys = std::vector<std::string>;

/// True for a word that every YAML reader takes for a string.
bool is_plain_scalar(std::string_view text) {
    if (text.empty() || text.size() > 64 || !is_word_part(text.front()) || is_digit(text.front())) return false;
    for (const char c : text)
        if (!is_word_part(c) && c != '-') return false;
    static constexpr std::string_view special[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    return std::find(std::begin(special), std::end(special), lower(text)) == std::end(special);
}
std::string scalar(const std::string& text) {
    if (is_plain_scalar(text)) return text;
    std::string out;
    append_quoted(out, repair_utf8(text));
    return out;
}
std::string flow(const json& value) {
    return value.is_string() ? scalar(value.get<std::string>())
                             : value.dump(-1, ' ', false, json::error_handler_t::replace);
}
/// The object's keys in order: those in `first`, then the others.
YamlKeys keys_of(const json& object, const YamlKeys& first) {
    YamlKeys keys;
    const auto add = [&](const std::string& key) {
        if (object.contains(key) && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    };
    for (const auto& key : first) add(key);
    for (const auto& [key, value] : object.items()) add(key);
    return keys;
}
void write(std::string& out, const json& value, int depth, const YamlKeys& first, const YamlKeys& inner) {
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    const bool is_list = value.is_array() && std::none_of(value.begin(), value.end(),
                                                          [](const json& item) { return item.is_structured(); });
    if (value.empty() || depth > 16 || !(value.is_object() || is_list)) {
        (out += ' ') += flow(value);
        out += '\n';
        return;
    }
    out += '\n';
    static const YamlKeys usual = {"type", "description", "properties", "required"};
    if (is_list)
        for (const auto& item : value) ((out += indent) += "- ") += flow(item) + '\n';
    else
        for (const auto& key : keys_of(value, first)) {
            ((out += indent) += scalar(key)) += ':';
            const bool properties = key == "properties";
            write(out, value[key], key == "required" ? depth : depth + 1, properties ? inner : usual, {});
        }
}
std::string type_names(const json& schema) {
    const auto type = schema.find("type");
    if (type != schema.end() && type->is_string()) return type->get<std::string>();
    std::string all;
    const auto add = [&all](const std::string& one) { (all += all.empty() ? "" : " | ") += one; };
    if (type != schema.end() && type->is_array()) {
        for (const auto& one : *type) add(one.is_string() ? one.get<std::string>() : "any");
    } else if (const auto choices = schema.find("anyOf"); choices != schema.end() && choices->is_array())
        for (const auto& one : *choices) add(one.is_object() && one.contains("type") ? type_names(one) : "any");
    return all.empty() ? "any" : all;
}
std::string signature(const tools::Tool& tool, const YamlKeys& parameters) {
    const auto& schema = tool.schema();
    const auto properties = schema.value("properties", json::object());
    const auto required = schema.value("required", json::array());
    std::string out = tool.name() + '(';
    const char* between = "";
    for (const auto& name : parameters) {
        const auto property = properties.value(name, json::object());
        out += std::exchange(between, ", ") + name + ": " + type_names(property);
        if (std::find(required.begin(), required.end(), json(name)) != required.end()) continue;
        const auto usual = property.find("default");
        out += " = " + (usual == property.end() ? "None" : usual->dump(-1, ' ', false, json::error_handler_t::replace));
    }
    return out + ')';
}
}

std::string tool_yaml(const tools::Tool& tool) {
    const auto parameters = tool.parameters();
    std::string out = "func_name: " + scalar(tool.name());
    out += "\nfunc_desc: " + scalar(signature(tool, parameters) + '\n' + tool.description());
    out += "\nfunc_parameters:";
    write(out, tool.schema(), 1, {"type", "properties", "required"}, parameters);
    return out;
}
}
