// Redacts names of JSON members like values, because a header's name may hold a key, too.
#include "steps/models/recording/redactor.hpp"
#include <nlohmann/json.hpp>

namespace weft::models {
Redactor::Redactor(const std::vector<Secret>& secrets) {
    for (const auto& secret : secrets)
        if (secret.hides()) secrets_.push_back(secret);
}
std::string Redactor::redact(std::string_view text) const {
    std::string clean(text);
    for (const auto& secret : secrets_) clean = secret.redact(clean);
    return clean;
}
void Redactor::redact(nlohmann::json& value) const {
    if (secrets_.empty()) return;
    if (value.is_string()) {
        auto& text = value.get_ref<std::string&>();
        text = redact(text);
    } else if (value.is_array()) {
        for (auto& element : value) redact(element);
    } else if (value.is_object()) {
        auto clean = nlohmann::json::object();
        for (auto& [name, member] : value.items()) {
            redact(member);
            clean[redact(name)] = std::move(member);
        }
        value = std::move(clean);
    }
}
}
