// The event of Context::begin_again(), as a staged slot: a failed attempt drops it with its edits.
#pragma once
#include "engine/core/data/published.hpp"
#include "engine/core/data/slots.hpp"
#include <memory>
#include <utility>

namespace weft::core {
struct NextStart {
    static constexpr bool memory_only = true;
    std::shared_ptr<Published> event;
};
template <class E> void stage_start(Slots& staged, E event) {
    static_assert(check::event<E>::template begins_a_run_again<is_start<E>>::value);
    constexpr auto* type = &slot_type<NextStart>;
    auto* node = staged.find(type);
    if (!node) node = staged.add_copy(*type, nullptr, 0);
    static_cast<NextStart*>(node->value())->event = {new Published::Of<E>(std::move(event)), DestroyPublished()};
}
/// Null: no event of this type is staged.
template <class E> const E* staged_start(const Slots& staged) {
    auto* node = staged.find(&slot_type<NextStart>);
    const auto* event = node ? static_cast<NextStart*>(node->value())->event.get() : nullptr;
    return event && event->type->id == type_id<E> ? static_cast<const E*>(event->type->event(event)) : nullptr;
}
}
