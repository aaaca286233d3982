// Takes secrets out of a text.
//
//     mask(text, {"sk-0123456789", "c2stMDEyMzQ1Njc4O"});     // *** for each of them
//
// Each caller decides which forms a secret has: which length is worth it, and who may have written it in which way.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
/// `forms`: none is empty, and the longest comes first, as a shorter one may be a part of it.
inline void mask(std::string& text, const std::vector<std::string>& forms) {
    for (const auto& form : forms)
        for (auto at = text.find(form); at != text.npos; at = text.find(form, at + 3))
            text.replace(at, form.size(), "***");
}
inline bool holds_any(std::string_view text, const std::vector<std::string>& forms) {
    return std::ranges::any_of(forms, [&](const auto& form) { return text.find(form) != text.npos; });
}
}
