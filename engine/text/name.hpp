// Names of types and functions, from the compiler: no macro, no registration. Stored data and drawings use the names,
// so all compilers give the same ones (engine/text/name_text.hpp).
//
//     type_name<shop::RefundEvent>               "RefundEvent"
//     type_name<Scored<shop::Hit>>               "Scored<Hit>"
//     function_name<&shop::review>               "review"
//     function_name<&shop::rank<long>>           "rank<long>" (g++), "rank" (clang 14 omits arguments)
#pragma once
#include "engine/text/name_text.hpp"
#include <algorithm>
#include <array>

#pragma GCC visibility push(default)  // one type in all shared libraries of a program
namespace weft::core {
template <class T> constexpr std::string_view pretty() { return __PRETTY_FUNCTION__; }
template <auto V> constexpr std::string_view pretty() { return __PRETTY_FUNCTION__; }

template <class T> constexpr std::string_view text_of() { return argument_text(pretty<T>()); }
template <auto F> constexpr std::string_view text_of() { return without_parameters(argument_text(pretty<F>())); }

template <std::size_t room> struct WrittenName {
    std::array<char, room> text{};
    std::size_t size = 0;
    constexpr explicit WrittenName(std::string_view s) : size(NameWriter(s, text.data()).write()) {}
};
/// The part of a compiler's text that is the name.
template <std::size_t size> struct KeptName {
    std::array<char, size> text{};
    template <class Written> constexpr explicit KeptName(const Written& w) {
        std::copy_n(w.text.begin(), size, text.begin());
    }
    constexpr std::string_view view() const { return {text.data(), size}; }
};
template <class T> struct TypeName {
    static constexpr WrittenName<NameWriter::room(text_of<T>().size())> written{text_of<T>()};
    static constexpr KeptName<written.size> kept{written};
    static constexpr std::string_view name = kept.view();
};
template <auto F> struct FunctionName {
    static constexpr WrittenName<NameWriter::room(text_of<F>().size())> written{text_of<F>()};
    static constexpr KeptName<written.size> kept{written};
    static constexpr std::string_view name = kept.view(), base = without_arguments(name);
};
template <class T> struct SlotName {
    std::array<char, 2 * TypeName<T>::name.size()> text{};
    std::size_t size = 0;
    constexpr SlotName() {
        put_snake_case(TypeName<T>::name, [this](char c) { text[size++] = c; });
    }
    constexpr std::string_view view() const { return {text.data(), size}; }
};
template <class T> inline constexpr SlotName<T> slot_name;
template <class T> inline constexpr std::string_view type_name = TypeName<T>::name;
template <auto F> inline constexpr std::string_view function_name = FunctionName<F>::name;
/// Identifies types at run time, without RTTI, by the address of the name.
template <class T> inline constexpr const void* type_id = &type_name<T>;
/// Identifies functions in the same way.
template <auto F> inline constexpr const void* function_id = &function_name<F>;
}
#pragma GCC visibility pop
