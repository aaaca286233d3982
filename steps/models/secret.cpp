// In base64 a key looks different by what stands before it, so it is looked for in three places, without the letters at
// its ends that depend on its neighbours; each with both alphabets.
#include "steps/models/secret.hpp"
#include "engine/text/percent_encoding.hpp"
#include <algorithm>

namespace weft::models {
namespace {
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

Secret::Secret(std::string text) : text_(std::move(text)) {
    if (!hides()) return;
    std::vector<std::string> forms{text_, percent_encoded(text_)};
    for (std::size_t before : {0, 1, 2})
        for (const char* last_two : {"+/", "-_"}) forms.push_back(base64_inside(text_, before, last_two));
    std::stable_sort(forms.begin(), forms.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
    forms_ = std::make_shared<const std::vector<std::string>>(std::move(forms));
}
const std::vector<std::string>& Secret::forms() const noexcept {
    static const std::vector<std::string> none;
    return forms_ ? *forms_ : none;
}
std::string Secret::redact(std::string_view text) const {
    std::string clean(text);
    for (const auto& form : forms())
        for (auto at = clean.find(form); at != clean.npos; at = clean.find(form, at + 3))
            clean.replace(at, form.size(), "***");
    return clean;
}
}
