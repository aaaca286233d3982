// The text is read a second time for the order only. An invalid message has been refused before, so an error in this
// reading loses only the order.
#include "tools/mcp/protocol/form_order.hpp"
#include <algorithm>
#include <map>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;
using nlohmann::ordered_json;
constexpr const char *schema_key = "requestedSchema", *fields_key = "properties", *requests_key = "inputRequests";
constexpr std::size_t deepest = 128, most_names = 100;
using KeyPath = std::vector<std::string>;

class OrderReader final : public nlohmann::json_sax<json> {
public:
    std::map<KeyPath, std::vector<std::string>> orders;  // by the path to the form's schema

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(json::binary_t&) override { return true; }
    bool start_object(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_array() override { return close(); }
    bool key(std::string& name) override {
        if (is_in_fields())
            if (auto& names = orders[KeyPath(open_.begin(), open_.end() - 2)]; names.size() < most_names)
                names.push_back(name);
        open_.back() = std::move(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

private:
    bool open() {
        open_.emplace_back();
        return open_.size() <= deepest;
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    bool is_in_fields() const {
        const auto depth = open_.size();
        if (depth != 4 && depth != 7) return false;
        if (open_[depth - 2] != fields_key || open_[depth - 3] != schema_key || open_[depth - 4] != "params")
            return false;
        return depth == 4 || (open_[0] == "result" && open_[1] == requests_key);
    }
    KeyPath open_;  // the current key of each open object
};
json* find_object(json& whole, const KeyPath& path) {
    auto* at = &whole;
    for (const auto& key : path) {
        const auto next = at->find(key);  // end() for a value that is not an object
        if (next == at->end()) return nullptr;
        at = &*next;
    }
    return at->is_object() ? at : nullptr;
}
ordered_json ordered_form(const json& form) {
    auto all = ordered_json::object();
    for (const auto& [key, part] : form.items()) {
        if (key == ordering) continue;
        if (key != fields_key || !part.is_object()) {
            all[key] = part;
            continue;
        }
        auto fields = ordered_json::object();
        for (const auto& name : field_order(form)) fields[name] = part[name];
        all[key] = std::move(fields);
    }
    return all;
}
}

void keep_field_order(std::string_view text, json& message) {
    if (text.find(schema_key) == text.npos) return;
    OrderReader reader;
    json::sax_parse(text.begin(), text.end(), &reader);
    for (auto& [path, names] : reader.orders)
        if (auto* form = find_object(message, path)) (*form)[ordering] = std::move(names);
}
std::vector<std::string> field_order(const json& form) {
    std::vector<std::string> names;
    const auto fields = form.find(fields_key);
    if (fields == form.end() || !fields->is_object()) return names;
    const auto add = [&](const std::string& name) {
        if (fields->contains(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    if (const auto list = form.find(ordering); list != form.end() && list->is_array() && list->size() <= most_names)
        for (const auto& name : *list)
            if (name.is_string()) add(name.get_ref<const std::string&>());
    for (const auto& [name, field] : fields->items()) add(name);
    return names;
}
ordered_json ordered_question(const json& params) {
    auto all = ordered_json::object();
    for (const auto& [key, part] : params.items())
        all[key] = key == schema_key && part.is_object() ? ordered_form(part) : ordered_json(part);
    return all;
}
ordered_json ordered_questions(const json& result) {
    auto all = ordered_json::object();
    for (const auto& [key, part] : result.items()) {
        all[key] = part;
        if (key != requests_key || !part.is_object()) continue;
        for (const auto& [name, request] : part.items())
            if (request.is_object() && request.contains("params") && request["params"].is_object())
                all[key][name]["params"] = ordered_question(request["params"]);
    }
    return all;
}
}
