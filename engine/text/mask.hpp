// Removes secrets from a text.
//
//     mask(text, {"sk-0123456789", "c2stMDEyMzQ1Njc4O"});     // each becomes ***
//
// The caller decides which forms of a secret to mask: its encodings, and the minimum length.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
/// `forms`: not empty strings; longest first, because a shorter form may be part of a longer one.
inline void mask(std::string& text, const std::vector<std::string>& forms) {
    for (const auto& form : forms)
        for (auto at = text.find(form); at != text.npos; at = text.find(form, at + 3))
            text.replace(at, form.size(), "***");
}
inline bool holds_any(std::string_view text, const std::vector<std::string>& forms) {
    return std::ranges::any_of(forms, [&](const auto& form) { return text.find(form) != text.npos; });
}
}
