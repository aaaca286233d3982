// Compares a model's name with a name or prefix: `gpt-4o`, `gpt-4o*`. The tables of providers and prices have those.
#pragma once
#include <string_view>

namespace weft::models {
inline bool matches(std::string_view pattern, std::string_view name) {
    if (!pattern.ends_with('*')) return name == pattern;
    pattern.remove_suffix(1);
    return name.starts_with(pattern);
}
}
