// The names of a workflow's steps, equal from all compilers: the function's name without template arguments, which
// clang 14 omits; for equal names, with the accepted events; if still equal, with the arguments.
//
//     step<plan>, step<rank<long>>                        "plan", "rank"
//     step<rank<Hit>>, step<rank<Miss>>                   "rank(Hit)", "rank(Miss)"
#pragma once
#include "engine/core/graph/signature.hpp"
#include "engine/text/name.hpp"
#include <algorithm>
#include <array>

namespace weft::core {
template <auto F> struct NameWithInput {
    static constexpr std::string_view base = FunctionName<F>::base;
    static constexpr std::string_view input = type_name<typename Signature<decltype(F)>::input>;
    static constexpr auto text = [] {
        std::array<char, base.size() + input.size() + 2> both{};
        auto at = std::copy(base.begin(), base.end(), both.begin());
        *at++ = '(';
        at = std::copy(input.begin(), input.end(), at);
        *at = ')';
        return both;
    }();
    static constexpr std::string_view name{text.data(), text.size()};
};
template <std::size_t n> using StepNames = std::array<std::string_view, n>;
template <std::size_t n> constexpr bool stands_once(const StepNames<n>& names, std::size_t step) {
    return std::count(names.begin(), names.end(), names[step]) == 1;
}
template <std::size_t n> constexpr bool all_differ(const StepNames<n>& names) {
    for (std::size_t s = 0; s < n; ++s)
        if (!stands_once(names, s)) return false;
    return true;
}
template <auto... Fn> constexpr auto step_names() {
    using Names = StepNames<sizeof...(Fn)>;
    constexpr Names bases{FunctionName<Fn>::base...};
    if constexpr (all_differ(bases)) return bases;
    else {
        constexpr Names with_input{NameWithInput<Fn>::name...};
        Names names{function_name<Fn>...};
        for (std::size_t s = 0; s < names.size(); ++s)
            if (stands_once(bases, s)) names[s] = bases[s];
            else if (stands_once(with_input, s)) names[s] = with_input[s];
        return names;
    }
}
}
