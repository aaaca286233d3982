// Finds members that a struct's description lacks, which JSON would silently lose. An aggregate T has more than n bases
// and members if n + 1 pairs of braces initialise it, because each pair is for exactly one, even an array or a struct.
// A class that is not an aggregate (with a constructor or a private member) is checked by its size: it must not exceed
// that of the described parts in any order. Uncertain cases pass: members behind one that braces cannot initialise,
// more than 50 members, and padding between others.
#pragma once
#include <boost/describe/bases.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weft::json_detail {
template <class T> using BasesOf = boost::describe::describe_bases<T, boost::describe::mod_any_access>;
template <class T, class Base> constexpr bool is_within_described_base() {
    bool within = false;
    boost::mp11::mp_for_each<BasesOf<T>>(
        [&](auto base) { within = within || std::is_base_of_v<Base, typename decltype(base)::type>; });
    return within;
}
/// Converts to any empty base of T without a description, which needs none.
template <class T> struct EmptyBase {
    template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T> && std::is_empty_v<Base> &&
             !is_within_described_base<T, Base>())
    operator Base() const;
};
struct AnyArgument {};  // initialises a base whose constructor takes any argument

/// Checks with n pairs of braces: alone, before one expression, and behind one.
template <std::size_t n> struct Braces {
    template <class T> static constexpr bool fit = false;
    template <class T, class Last> static constexpr bool fit_before = false;
    template <class T, class First> static constexpr bool fit_behind = false;
};
template <> struct Braces<0> {
    template <class T> static constexpr bool fit = true;
    template <class T, class Last> static constexpr bool fit_before = requires { T{Last()}; };
    template <class T, class First> static constexpr bool fit_behind = requires { T{First()}; };
};
// Macros, because a pack cannot expand to empty braces.
#define WEFT_BRACES(n, ...)                                                                                            \
    template <> struct Braces<n> {                                                                                     \
        template <class T> static constexpr bool fit = requires { T{__VA_ARGS__}; };                                   \
        template <class T, class Last> static constexpr bool fit_before = requires { T{__VA_ARGS__, Last()}; };        \
        template <class T, class First> static constexpr bool fit_behind = requires { T{First(), __VA_ARGS__}; };      \
    };
#define WEFT_TEN_BRACES(n, before)                                                                                     \
    WEFT_BRACES(n + 1, before{})                                                                                       \
    WEFT_BRACES(n + 2, before{}, {})                                                                                   \
    WEFT_BRACES(n + 3, before{}, {}, {})                                                                               \
    WEFT_BRACES(n + 4, before{}, {}, {}, {})                                                                           \
    WEFT_BRACES(n + 5, before{}, {}, {}, {}, {})                                                                       \
    WEFT_BRACES(n + 6, before{}, {}, {}, {}, {}, {})                                                                   \
    WEFT_BRACES(n + 7, before{}, {}, {}, {}, {}, {}, {})                                                               \
    WEFT_BRACES(n + 8, before{}, {}, {}, {}, {}, {}, {}, {})                                                           \
    WEFT_BRACES(n + 9, before{}, {}, {}, {}, {}, {}, {}, {}, {})                                                       \
    WEFT_BRACES(n + 10, before{}, {}, {}, {}, {}, {}, {}, {}, {}, {})
#define WEFT_TEN {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
WEFT_TEN_BRACES(0, )
WEFT_TEN_BRACES(10, WEFT_TEN)
WEFT_TEN_BRACES(20, WEFT_TEN WEFT_TEN)
WEFT_TEN_BRACES(30, WEFT_TEN WEFT_TEN WEFT_TEN)
WEFT_TEN_BRACES(40, WEFT_TEN WEFT_TEN WEFT_TEN WEFT_TEN)
#undef WEFT_TEN
#undef WEFT_TEN_BRACES
#undef WEFT_BRACES

/// Calls each(name) for the members that the struct excludes on purpose.
template <class T, class Each> constexpr void for_each_undescribed([[maybe_unused]] Each&& each) {
    if constexpr (requires { T::undescribed_fields; }) {
        bool own = true;  // false for a member of a base
        boost::mp11::mp_for_each<BasesOf<T>>([&](auto base) {
            using Base = typename decltype(base)::type;
            if constexpr (requires { Base::undescribed_fields; })
                own = own && static_cast<const void*>(&Base::undescribed_fields) != &T::undescribed_fields;
        });
        if (own)
            for (std::string_view name : T::undescribed_fields) each(name);
    }
}
template <class T> constexpr std::size_t count_undescribed() {
    std::size_t n = 0;
    for_each_undescribed<T>([&](std::string_view) { ++n; });
    return n;
}
/// True if none of them is described: such a name would hide a forgotten member.
template <class T> constexpr bool names_only_undescribed() {
    using Members = boost::describe::describe_members<T, boost::describe::mod_any_access>;
    bool only = true;
    for_each_undescribed<T>([&](std::string_view name) {
        boost::mp11::mp_for_each<Members>([&](auto member) { only = only && name != member.name; });
    });
    return only;
}
template <class T, std::size_t least> constexpr std::size_t count_elements() {
    if constexpr (Braces<least + 1>::template fit<T>) return count_elements<T, least + 1>();
    else return least;
}
/// True if an empty base of T is at this place. A non-empty base may begin with its own empty base; that one is
/// initialised, and more braces fit.
template <class T, std::size_t count, std::size_t at> constexpr bool has_empty_base() {
    if constexpr (Braces<at>::template fit_before<T, AnyArgument>) return true;
    else if constexpr (!Braces<at>::template fit_before<T, EmptyBase<T>>) return false;
    else return at > 0 || !Braces<count>::template fit_behind<T, EmptyBase<T>>;
}
template <class T, std::size_t count, std::size_t known, std::size_t at = 0> constexpr bool others_are_empty_bases() {
    if constexpr (known >= count) return true;
    else if constexpr (at == count) return false;
    else return others_are_empty_bases<T, count, known + has_empty_base<T, count, at>(), at + 1>();
}
/// The parts of a class, and its maximum size with them in any order.
struct ClassParts {
    std::size_t count = 0, size = 0, alignments = 0, least = std::size_t(-1);
    constexpr void add(std::size_t bytes, std::size_t alignment) {
        ++count;
        size += bytes;
        alignments += alignment;
        least = alignment < least ? alignment : least;
    }
    constexpr std::size_t largest(std::size_t aligned) const {
        const auto padded = count ? size + alignments - count * least : 0;
        return (padded + aligned - 1) / aligned * aligned;
    }
};
/// True if a member may begin with an empty base that T also has, which moves the member back.
template <class Member> constexpr bool may_be_displaced() {
    using Element = std::remove_all_extents_t<Member>;
    return std::is_class_v<Element> && !requires { typename Element::allocator_type; };
}
/// True if the size of a class that is not an aggregate allows no undescribed member.
template <class T> constexpr bool may_hold_described_only() {
    namespace describe = boost::describe;
    if constexpr (count_undescribed<T>() > 0) return true;  // their types are unknown
    ClassParts parts;
    bool is_certain = true, is_displaced = false, has_table = false;
    std::size_t aligned = alignof(void*);
    const auto add = [&](std::size_t bytes, std::size_t alignment) {
        parts.add(bytes, alignment);
        aligned = alignment > aligned ? alignment : aligned;
    };
    boost::mp11::mp_for_each<describe::describe_bases<T, describe::mod_any_access>>([&](auto base) {
        using Base = typename decltype(base)::type;
        is_certain = is_certain && (base.modifiers & describe::mod_virtual) == 0;
        has_table = has_table || std::is_polymorphic_v<Base>;
        if (!std::is_empty_v<Base>) add(sizeof(Base), alignof(Base));
    });
    boost::mp11::mp_for_each<describe::describe_members<T, describe::mod_any_access>>([&](auto member) {
        using Member = std::remove_reference_t<decltype(std::declval<T&>().*member.pointer)>;
        is_displaced = is_displaced || may_be_displaced<Member>();
        add(sizeof(Member), alignof(Member));
    });
    if (is_displaced) add(alignof(T), alignof(T));
    if (std::is_polymorphic_v<T>)  // one table, and one for a base without members
        for (int tables = has_table; tables < 2; ++tables) add(sizeof(void*), alignof(void*));
    return !is_certain || alignof(T) > aligned || sizeof(T) <= parts.largest(alignof(T));
}
/// Precondition: T is described.
template <class T> constexpr bool describes_all_members() {
    if constexpr (std::is_empty_v<T> || std::is_union_v<T>) return true;
    else if constexpr (!std::is_aggregate_v<T>) return may_hold_described_only<T>();
    else {
        using Members = boost::describe::describe_members<T, boost::describe::mod_any_access>;
        constexpr auto known = boost::mp11::mp_size<BasesOf<T>>::value + boost::mp11::mp_size<Members>::value +
                               count_undescribed<T>();
        if constexpr (!Braces<known + 1>::template fit<T>) return true;
        else return others_are_empty_bases<T, count_elements<T, known + 1>(), known>();
    }
}
}
