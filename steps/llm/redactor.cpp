#include "steps/llm/redactor.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::llm {
namespace {
std::string percent_encoded(std::string_view text) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string encoded;
    for (const unsigned char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '_' || c == '.' || c == '~';
        if (plain) encoded += static_cast<char>(c);
        else ((encoded += '%') += digits[c >> 4]) += digits[c & 15];
    }
    return encoded;
}
/// The characters of base64 that the text alone decides, where `before` bytes of something else stand before it.
std::string base64_inside(std::string_view text, std::size_t before, std::string_view last_two) {
    static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::string encoded;
    for (std::size_t bit = (6 - before * 8 % 6) % 6; bit + 6 <= text.size() * 8; bit += 6) {
        const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
        const unsigned pair = byte(bit / 8) << 8 | byte(bit / 8 + 1);
        const unsigned value = pair >> (10 - bit % 8) & 63u;
        encoded += value < 62 ? letters[value] : last_two[value - 62];
    }
    return encoded;
}
}

Redactor::Redactor(const std::vector<Secret>& secrets) {
    for (const auto& secret : secrets) {
        if (!secret.hides()) continue;
        forms_.push_back(secret);
        forms_.emplace_back(percent_encoded(secret.reveal()));
        for (std::size_t before : {0, 1, 2})
            for (const char* last_two : {"+/", "-_"})
                forms_.emplace_back(base64_inside(secret.reveal(), before, last_two));
    }
    std::stable_sort(forms_.begin(), forms_.end(),
                     [](const Secret& a, const Secret& b) { return a.reveal().size() > b.reveal().size(); });
    forms_.erase(std::unique(forms_.begin(), forms_.end(),
                             [](const Secret& a, const Secret& b) { return a.reveal() == b.reveal(); }),
                 forms_.end());
}
std::string Redactor::redact(std::string_view text) const {
    std::string clean(text);
    for (const auto& form : forms_)
        if (clean.find(form.reveal()) != clean.npos) clean = form.redact(clean);
    return clean;
}
void Redactor::redact(nlohmann::json& value) const {
    if (forms_.empty()) return;
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
