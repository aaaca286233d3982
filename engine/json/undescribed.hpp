// Whether the description of a struct leaves out a member, which JSON would lose without a word. An aggregate tells: T
// has more than n bases and members if it is initialised by n + 1 pairs of braces, as each of them is for exactly one,
// an array or a struct too. A class that is no aggregate (with a constructor, a private member) tells by its size: it
// is larger than what is described can be in any order. Where neither is certain, nothing is left out: behind a member
// that braces do not initialise, beyond 50 of them, and for what a class may hold between others.
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
/// Becomes any base of T that is empty, and not in the description: it needs none.
template <class T> struct EmptyBase {
    template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T> && std::is_empty_v<Base> &&
             !is_within_described_base<T, Base>())
    operator Base() const;
};
struct Nothing {};  // by which a base is initialised whose constructor takes everything

/// n pairs of braces, alone, before one expression and behind one.
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
// No pack makes them, as braces contain nothing that could be expanded.
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

/// Calls each(name) for the members that the struct itself names as left out on purpose.
template <class T, class Each> constexpr void for_each_undescribed([[maybe_unused]] Each&& each) {
    if constexpr (requires { T::undescribed_fields; }) {
        bool own = true;  // and not that of a base
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
/// Whether none of them is described: it would stand for another one that the description forgets.
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
/// Whether a base of T that is empty stands at this place. Where a base that is not has an empty one for its own first,
/// that one is initialised, and room is left for more.
template <class T, std::size_t count, std::size_t at> constexpr bool has_empty_base() {
    if constexpr (Braces<at>::template fit_before<T, Nothing>) return true;
    else if constexpr (!Braces<at>::template fit_before<T, EmptyBase<T>>) return false;
    else return at > 0 || !Braces<count>::template fit_behind<T, EmptyBase<T>>;
}
template <class T, std::size_t count, std::size_t known, std::size_t at = 0> constexpr bool others_are_empty_bases() {
    if constexpr (known >= count) return true;
    else if constexpr (at == count) return false;
    else return others_are_empty_bases<T, count, known + has_empty_base<T, count, at>(), at + 1>();
}
/// The parts of a class, and how large it can be with them in whatever order they stand.
struct Parts {
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
/// Whether a member may begin with an empty base that T has too: it stands further behind then.
template <class Member> constexpr bool may_be_displaced() {
    using Element = std::remove_all_extents_t<Member>;
    return std::is_class_v<Element> && !requires { typename Element::allocator_type; };
}
/// Whether a class that is no aggregate is no larger than what is described can be.
template <class T> constexpr bool may_hold_described_only() {
    namespace describe = boost::describe;
    if constexpr (count_undescribed<T>() > 0) return true;  // their types are not known
    Parts parts;
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
    if (std::is_polymorphic_v<T>)  // one table, and one of a base without members
        for (int tables = has_table; tables < 2; ++tables) add(sizeof(void*), alignof(void*));
    return !is_certain || alignof(T) > aligned || sizeof(T) <= parts.largest(alignof(T));
}
/// T is described.
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
