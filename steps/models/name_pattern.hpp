// A name of models, or the beginning of several: `gpt-4o`, `gpt-4o*`. Tables of providers and of prices have them.
#pragma once
#include <string_view>

namespace weft::models {
inline bool matches(std::string_view pattern, std::string_view name) {
    if (!pattern.ends_with('*')) return name == pattern;
    pattern.remove_suffix(1);
    return name.starts_with(pattern);
}
}
