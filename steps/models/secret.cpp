// Base64 of a key depends on the bytes before it, so the key is searched in three alignments and both alphabets,
// without the characters that depend on its neighbours.
#include "steps/models/secret.hpp"
#include "engine/text/base64.hpp"
#include "engine/text/mask.hpp"
#include "engine/text/percent_encoding.hpp"
#include <algorithm>

namespace weft::models {
namespace {
/// Returns the base64 characters that depend only on the text, if `before` other bytes precede it.
std::string base64_inside(std::string_view text, std::size_t before) {
    const auto encoded = base64(std::string(before, '\0').append(text));
    const auto begin = (before * 8 + 5) / 6, end = (before + text.size()) * 8 / 6;
    return encoded.substr(begin, end - begin);
}
}

Secret::Secret(std::string text) : text_(std::move(text)) {
    if (!hides()) return;
    std::vector<std::string> forms{text_, percent_encoded(text_)};
    for (std::size_t before : {0, 1, 2}) {
        auto form = forms.emplace_back(base64_inside(text_, before));
        std::ranges::replace(form, '+', '-');
        std::ranges::replace(form, '/', '_');
        forms.push_back(std::move(form));
    }
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
    mask(clean, forms());
    return clean;
}
}
