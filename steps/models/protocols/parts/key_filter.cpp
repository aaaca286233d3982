// Only a possible beginning of the key waits for the next piece; other text passes immediately.
#include "steps/models/protocols/parts/key_filter.hpp"
#include <algorithm>
#include <utility>

namespace weft::models {
namespace {
/// True if the text has the form in it, or ends with a beginning of it.
bool has_beginning(std::string_view text, std::string_view form) {
    for (auto at = text.find(form.front()); at != text.npos; at = text.find(form.front(), at + 1))
        if (const auto rest = text.substr(at); rest.starts_with(form.substr(0, rest.size()))) return true;
    return false;
}
}
KeyFilter::KeyFilter(const Secret& key) : key_(key) {
    for (const auto& form : key_.forms()) firsts_.set(static_cast<unsigned char>(form.front()));
}
std::string_view KeyFilter::pass(std::string_view delta) {
    const auto& forms = key_.forms();
    if (!holds()) {
        const auto may_begin = [this](char c) { return firsts_[static_cast<unsigned char>(c)]; };
        const auto at = std::find_if(delta.begin(), delta.end(), may_begin);
        const auto rest = delta.substr(static_cast<std::size_t>(at - delta.begin()));
        const auto occurs = [rest](const std::string& form) { return has_beginning(rest, form); };
        if (rest.empty() || std::none_of(forms.begin(), forms.end(), occurs)) return delta;
    }
    held_ = key_.redact(held_ += delta);
    std::size_t length = 0;  // the longest possible beginning of a form
    for (const auto& form : forms) {
        auto part = std::min(form.size() - 1, held_.size());
        while (part > length && !std::string_view(held_).ends_with(std::string_view(form).substr(0, part))) --part;
        length = std::max(length, part);
    }
    passed_ = std::exchange(held_, held_.substr(held_.size() - length));
    passed_.resize(passed_.size() - length);
    return passed_;
}
std::string KeyFilter::rest() { return std::exchange(held_, {}); }
}
