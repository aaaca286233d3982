// Only a possible beginning of the key waits for the next piece; text without its first letters passes immediately.
#include "steps/models/protocols/parts/key_filter.hpp"
#include <algorithm>
#include <utility>

namespace weft::models {
std::string KeyFilter::pass(std::string_view delta) {
    const auto& forms = key_.forms();
    const auto begins = [delta](const std::string& form) { return delta.find(form.front()) != delta.npos; };
    if (held_.empty() && std::none_of(forms.begin(), forms.end(), begins)) return std::string(delta);
    held_ = key_.redact(held_ += delta);
    std::size_t length = 0;  // the longest possible beginning of a form
    for (const auto& form : forms) {
        auto part = std::min(form.size() - 1, held_.size());
        while (part > length && !std::string_view(held_).ends_with(std::string_view(form).substr(0, part))) --part;
        length = std::max(length, part);
    }
    auto text = std::exchange(held_, held_.substr(held_.size() - length));
    text.resize(text.size() - length);
    return text;
}
std::string KeyFilter::rest() { return std::exchange(held_, {}); }
}
