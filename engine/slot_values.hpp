// Slots outside of a run: its initial slots, and its final slots.
//
//     auto first = engine.start(chat, question, {.slots = slots(Budget{3}, history)});
//     ...                                                          // after result():
//     auto left = first.slot<Budget>();                            // a copy; its default if no step has edited it
//     auto second = engine.start(chat, next, {.slots = first.slots()});
//     auto third = engine.start(chat, next, {.slots = first.slots<History>()});  // only this slot
// Values never change, and copies share them: any number of runs may begin with the same values, on any loops.
#pragma once
#include "engine/core/data/slots.hpp"
#include <memory>

namespace weft {
namespace core {
template <class S> S value_in(const Slots& slots) {
    auto* n = slots.find(&slot_type<S>);
    return n ? *static_cast<const S*>(n->value()) : S();
}
template <class T, class... All> inline constexpr int times = (0 + ... + int(std::is_same_v<T, All>));
}

class SlotValues {
public:
    SlotValues() = default;  // no slots
    /// A copy of the slot; its default if the slot is absent.
    template <class S> S get() const { return values_ ? core::value_in<S>(*values_) : S(); }

private:
    friend struct core::PrivateAccess;
    explicit SlotValues(core::Slots values) : values_(std::make_shared<const core::Slots>(std::move(values))) {}
    std::shared_ptr<const core::Slots> values_;
};

/// The initial slots of a run, each by its type.
// clang-format off
template <class... S, bool = requires { (0 + ... + sizeof(core::StorableSlot<S>)); }>
SlotValues slots(const S&... values) {
    // clang-format on
    static_assert((core::check::slot<S>::template is_given_once<core::times<S, S...> == 1>::value && ...));
    core::Slots all;
    (all.add(core::slot_type<S>, &values, 0, 0), ...);
    return core::PrivateAccess::make<SlotValues>(std::move(all));
}
}
