// Names of types and functions, by the compiler: no macro, no registration. Recorded data and drawings use them.
//
//     type_name<shop::RefundEvent>               "RefundEvent"
//     type_name<Scored<shop::Hit>>               "Scored<Hit>"
//     function_name<&shop::review>               "review"
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace weft::core {
template <class T> constexpr std::string_view pretty() { return __PRETTY_FUNCTION__; }
template <auto V> constexpr std::string_view pretty() { return __PRETTY_FUNCTION__; }

// "... [with T = ns::Name; std::string_view = ...]" (g++) or "... [T = ns::Name]" (clang): what stands for T.
constexpr std::string_view argument_text(std::string_view s) {
    const auto begin = s.find("= ") + 2;
    std::size_t end = begin;
    for (int depth = 0; end < s.size(); ++end) {
        const char c = s[end];
        if (c == '[' || c == '(' || c == '<' || c == '{') ++depth;
        else if (depth > 0 && (c == ']' || c == ')' || c == '>' || c == '}')) --depth;
        else if (depth == 0 && (c == ';' || c == ']')) break;
    }
    s = s.substr(begin, end - begin);
    if (s.starts_with('&')) s.remove_prefix(1);
    return s;
}
constexpr bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
// A function's text carries its parameters at the end, which may have some of their own.
constexpr std::string_view without_parameters(std::string_view s) {
    if (!s.ends_with(')')) return s;
    int depth = 0;
    auto p = s.size();
    do {
        --p;
        depth += (s[p] == ')') - (s[p] == '(');
    } while (depth && p > 0);
    return p == 0 ? s : s.substr(0, p);
}
// Copies the text without qualifications: of every qualified name its last part stays, also within <...>.
template <std::size_t N> struct Unqualified {
    std::array<char, N> text{};
    std::size_t size = 0;
    constexpr explicit Unqualified(std::string_view s) {
        std::size_t word = 0;  // where the present qualified name begins in `text`
        for (std::size_t i = 0; i < s.size();) {
            if (s[i] == '(') i = after(s, i);       // parameters of an enclosing function, "(anonymous namespace)"
            else if (s[i] == '{') i = after(s, i);  // "{anonymous}"
            else if (s.substr(i).starts_with("<lambda")) i = after(s, i);  // in which a type is local
            else if (s[i] == ' ' && i + 1 < s.size() && (s[i + 1] == '[' || s[i + 1] == '>')) ++i;
            else if (s[i] == ':' && i + 1 < s.size() && s[i + 1] == ':') size = word, i += 2;
            else {
                if (!in_word(s[i]) && s[i] != '<' && s[i] != '>') word = size + 1;
                text[size++] = s[i];
                if (s[i] == '<' || s[i] == '>') word = size;
                ++i;
            }
        }
    }
    static constexpr std::size_t after(std::string_view s, std::size_t i) {  // the bracket that opens at i
        for (int depth = 0; i < s.size(); ++i) {
            depth += s[i] == '(' || s[i] == '{' || s[i] == '<';
            depth -= s[i] == ')' || s[i] == '}' || s[i] == '>';
            if (depth == 0) return i + 1;
        }
        return i;
    }
    constexpr std::string_view view() const { return {text.data(), size}; }
};
template <class T> struct TypeName {
    static constexpr auto text = argument_text(pretty<T>());
    static constexpr Unqualified<text.size() + 1> storage{text};
};
template <auto F> struct FunctionName {
    static constexpr auto text = without_parameters(argument_text(pretty<F>()));
    static constexpr Unqualified<text.size() + 1> storage{text};
};
template <class T> inline constexpr std::string_view type_name = TypeName<T>::storage.view();
template <auto F> inline constexpr std::string_view function_name = FunctionName<F>::storage.view();
/// Tells types apart at run time, without RTTI. The address of their name.
template <class T> inline constexpr const void* type_id = &type_name<T>;
}
