// The slots of a run or of an attempt: a short list, one node per slot, found by type. A stored run finds the type by
// its name: each described type registers itself where code uses it.
#pragma once
#include "engine/core/data/recycler.hpp"
#include "engine/core/graph/check.hpp"
#include "engine/growing.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/text/name.hpp"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft::core {
/// The functions of a list that only grows.
struct ListType {
    std::size_t (*size)(const void* list);
    const void* (*item)(const void* list, std::size_t);
    bool (*replaced)(const void* list);  // true if another list has replaced the staged list
    void (*join)(void* list);            // ends the list's staging
};
struct SlotType;
/// The part of its full name that another slot type has, too.
enum class SharedName : std::uint8_t { unshared, bare, full };
/// Makes a type of slots known by its stored name. The program constructs it together with the code that uses the type,
/// so all types of linked steps are known before main(), and those of a library when it is loaded.
struct SlotRegistration {
    explicit SlotRegistration(const SlotType&) noexcept;
    static const SlotRegistration* first();
    const SlotType& type;
    SlotRegistration* const next;
    std::atomic<SharedName> shared{SharedName::unshared};
};
/// The functions of a slot's type.
struct SlotType {
    std::string_view name, stored_name;              // without namespace
    std::string_view scope;                          // "shop::", in the compiler's form
    const SlotRegistration* registration = nullptr;  // null for a type that is not described, or in memory only
    bool memory_only;
    std::uint32_t size;
    bool keeps_original;                                 // merge() needs the value at the time of staging
    void (*copy)(void* to, const void* from) = nullptr;  // `from` null: default
    void (*destroy)(void*);
    /// Merges a staged value into a copy of the value that a parallel step has committed; false: conflict. Null: always
    /// a conflict.
    bool (*merge)(void* into, const void* original, void* staged) = nullptr;
    const json_detail::Shape* shape;  // null without a description
    const ListType* list = nullptr;   // null if it is not a list that only grows
};
template <class S>
concept Merging = requires(const S& c, S& m) {
    { S::merge(c, c, m) } -> std::convertible_to<S>;
};
template <class S> constexpr bool only_grows() {
    if constexpr (requires { typename S::value_type; })
        return std::is_base_of_v<Growing<typename S::value_type>, S> &&
               sizeof(S) == sizeof(Growing<typename S::value_type>);
    else return false;
}
template <class S> Growing<typename S::value_type>& as_list(S& slot) { return slot; }
template <class S> const Growing<typename S::value_type>& as_list(const S& slot) { return slot; }
template <class S> inline constexpr ListType list_type{
    [](const void* list) { return static_cast<const S*>(list)->size(); },
    [](const void* list, std::size_t i) -> const void* { return std::addressof((*static_cast<const S*>(list))[i]); },
    [](const void* list) { return PrivateAccess::replaced(as_list(*static_cast<const S*>(list))); },
    [](void* list) { PrivateAccess::join(as_list(*static_cast<S*>(list))); }};
template <class S> struct Registered { static const SlotRegistration slot; };
template <class S> inline constexpr bool is_memory_only = requires {
    requires std::bool_constant<S::memory_only>::value;
};
/// Makes the compiler check that a slot can be stored. Only engine/durable.hpp defines it: files without that header
/// need no descriptions.
template <class S> struct StorableSlot;
template <class S> constexpr SlotType describe_slot() {
    static_assert(check::slot<S>::template is_not_over_aligned<alignof(S) <= alignof(std::max_align_t)>::value);
    SlotType t{
        .name = type_name<S>,
        .stored_name = slot_name<S>.view(),
        .scope = text_of<S>().substr(0, after_scope(text_of<S>())),
        .memory_only = is_memory_only<S>,
        .size = sizeof(S),
        .keeps_original = Merging<S>,
        .destroy = [](void* p) { static_cast<S*>(p)->~S(); },
        .shape = json_detail::shape_if_any<S>(),
    };
    if constexpr (json_detail::form<S> != json_detail::Form::none && !is_memory_only<S>)
        t.registration = &Registered<S>::slot;
    if constexpr (only_grows<S>()) t.list = &list_type<S>;
    if constexpr (check::slot<S>::template has_a_default<std::is_default_constructible_v<S>>::value &&
                  check::slot<S>::template can_be_copied<std::is_copy_constructible_v<S>>::value)
        t.copy = [](void* to, const void* from) { from ? ::new (to) S(*static_cast<const S*>(from)) : ::new (to) S(); };
    if constexpr (Merging<S>)
        t.merge = [](void* into, const void* original, void* staged) {
            auto& committed = *static_cast<S*>(into);
            committed = S::merge(*static_cast<const S*>(original), std::as_const(committed), *static_cast<S*>(staged));
            return true;
        };
    else if constexpr (only_grows<S>())
        t.merge = [](void* into, const void* original, void* staged) {
            auto& mine = *static_cast<S*>(staged);
            const auto from = *static_cast<const std::uint32_t*>(original);
            if (PrivateAccess::replaced(as_list(mine)) || mine.size() < from) return false;
            PrivateAccess::append_tail(as_list(*static_cast<S*>(into)), as_list(mine));
            return true;
        };
    return t;
}
template <class S> inline constexpr SlotType slot_type = describe_slot<S>();
template <class S> const SlotRegistration Registered<S>::slot{slot_type<S>};
/// The length of a list that only grows; 0 for other slots.
template <class S> std::uint32_t length_of(const S* slot) {
    if constexpr (only_grows<S>()) return slot ? std::uint32_t(slot->size()) : 0;
    else return 0;
}
/// From here on, a list that only grows keeps new items apart from shared ones, until join().
template <class S> void stage([[maybe_unused]] S& slot) {
    if constexpr (only_grows<S>()) PrivateAccess::stage(as_list(slot));
}
/// Cuts a list that only grows back to this length. Returns false for other slots.
template <class S> bool cut_back(S& slot, std::uint32_t length) {
    if constexpr (only_grows<S>()) return PrivateAccess::cut_back(as_list(slot), length);
    else return false;
}

class Slots {  // three nodes are faster to walk than any table
public:
    struct alignas(std::max_align_t) Node {
        const SlotType* type;
        Node* next;
        std::uint32_t version;  // committed: number of commits; staged: version of the original
        std::uint32_t length;   // staged growing list: the original's length; or `torn`
        void* value() { return this + 1; }
        void* original() { return reinterpret_cast<std::byte*>(this + 1) + type->size; }
    };
    Slots() = default;
    Slots(Slots&& o) noexcept : first_(std::exchange(o.first_, nullptr)) {}
    ~Slots() {
        if (first_) [[unlikely]]
            clear();
    }
    Node* first() const { return first_; }
    Node* find(const SlotType* type) const {
        for (auto* n = first_; n; n = n->next)
            if (n->type == type) return n;
        return nullptr;
    }
    static constexpr std::uint32_t torn = ~std::uint32_t{0};  // an edit of this slot threw half-way
    Node* add_copy(const SlotType& type, Node* of, std::uint32_t length);
    Node* add(const SlotType& type, const void* value, std::uint32_t version, std::uint32_t length);
    void add_copies(const Slots& of);
    void add_copy_from(const Slots& of, const SlotType& type) {
        if (auto* n = of.find(&type)) add_copy(type, n, 0);
    }
    void remove(Node*) noexcept;
    /// Merges staged edits with later commits. Returns null, or the slot in conflict. Throws for a torn slot. An
    /// exception or a conflict leaves the committed slots unchanged.
    const SlotType* reconcile(Slots& staged) const;
    void commit(Slots& staged) noexcept;  // moves reconciled edits in
    void clear() noexcept;

private:
    static void destroy(Node*) noexcept;
    Node* first_ = nullptr;
};
}
