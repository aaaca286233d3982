// Slots outside of a run: what it begins with, and what it has ended with.
//
//     auto first = engine.start(chat, question, {.slots = slots(Budget{3}, history)});
//     ...                                                          // once result() has been told:
//     auto left = first.slot<Budget>();                            // a copy; its default if no step has edited it
//     auto second = engine.start(chat, next, {.slots = first.slots()});
//     auto third = engine.start(chat, next, {.slots = first.slots<History>()});  // these only
//
// Values never change and are shared by their copies: any number of runs may begin with the same ones, on any loops.
#pragma once
#include "engine/slots.hpp"
#include <memory>

namespace weft {
class RunCore;

namespace detail {
template <class S> S value_in(const Slots& slots) {
    auto* n = slots.find(&slot_type<S>);
    return n ? *static_cast<const S*>(n->value()) : S();
}
template <class T, class... All> inline constexpr int times = (0 + ... + int(std::is_same_v<T, All>));
/// The slots of a run that has ended. Throws Error{usage} before its end.
const Slots& slots_at_end(const RunCore&);
}

class SlotValues {
public:
    SlotValues() = default;  // none
    explicit SlotValues(Slots values) : values_(std::make_shared<const Slots>(std::move(values))) {}
    /// A copy of one of them; its default if it is not among them.
    template <class S> S get() const { return values_ ? detail::value_in<S>(*values_) : S(); }
    const Slots* values() const { return values_.get(); }  // for the loop; null if there are none

private:
    std::shared_ptr<const Slots> values_;
};

/// The slots that a run is to begin with, each by its type.
template <class... S> SlotValues slots(const S&... values) {
    static_assert((check::slot<S>::template is_given_once<detail::times<S, S...> == 1>::value && ...));
    Slots all;
    (all.add(detail::slot_type<S>, &values, 0, 0), ...);
    return SlotValues(std::move(all));
}
}
