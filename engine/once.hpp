// Context::once: work whose recorded result replaces it after a crash. Context::at_most_once: work that never runs a
// second time. For .cpp files with such steps.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "engine/core/notes.hpp"
#include "engine/core/wait/scope.hpp"
#include "engine/json/demand.hpp"
#include "engine/json/shape_of.hpp"
#include <type_traits>
#include <variant>

namespace weft {
namespace core {
struct Once {
    /// Null if the run of this context is not stored.
    static std::optional<Notes> notes_of(Context& ctx) {
        if (ctx.effects_) return {};  // within at_most_once nothing is recorded
        return Notes::of(ctx.run_, ctx.token_, ctx.attempt_, ctx.depth_);
    }
    template <class T> static constexpr bool can_record() {
        static_assert(json_detail::form<T> != json_detail::Form::none,  // sanitizers reject a pointer as a constant
                      "ctx.once records this type as JSON: describe it with BOOST_DESCRIBE_STRUCT, as "
                      "engine/describe.hpp shows");
        static_assert(std::is_default_constructible_v<T>, "ctx.once reads this type back into a default object");
        if constexpr (json_detail::form<T> != json_detail::Form::none) (void)&json_detail::demand<T, true, true>;
        return true;
    }
    struct InProgress {  // counts a call as long as it exists
        explicit InProgress(unsigned& c) : count(c) { ++count; }
        InProgress(const InProgress&) = delete;
        ~InProgress() { --count; }
        unsigned& count;
    };
    template <class T> static awaitable<T> once(Context&, std::string name, awaitable<T> work);
    template <class T> static awaitable<std::optional<T>> at_most_once(Context&, std::string name, awaitable<T> work);
};
}
template <class T> awaitable<T> core::Once::once(Context& ctx, std::string name, awaitable<T> work) {
    const Scope* scope = co_await awaiting_scope();
    if (scope->is_one_of_several()) refuse_within_all("ctx.once");
    auto notes = notes_of(ctx);
    if (!notes) {
        const InProgress inside(ctx.depth_);
        co_return co_await std::move(work);
    }
    const json_detail::Shape* shape = nullptr;
    if constexpr (!std::is_void_v<T>) {
        static_assert(can_record<T>());
        shape = json_detail::shape_if_any<T>();
    }
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
    Value value = Value();
    const auto next = notes->next(name, shape, std::addressof(value));
    if (next == Notes::NextNote::value) {
        if constexpr (!std::is_void_v<T>) co_return std::move(value);
        else co_return;
    }
    while (next == Notes::NextNote::ended)
        co_await store_change_of(notes->run());                    // until the time limit ends it again
    while (notes->wait()) co_await store_change_of(notes->run());  // for the lease
    try {
        const InProgress inside(ctx.depth_);  // records inside belong to this one
        if constexpr (!std::is_void_v<T>) value = co_await std::move(work);
        else co_await std::move(work);
    } catch (...) {
        notes->add_failure(name, std::current_exception(), *scope);
        throw;
    }
    notes->add(name, shape, std::addressof(value));
    while (notes->wait()) co_await store_change_of(notes->run());
    notes->demand_it();
    if constexpr (!std::is_void_v<T>) co_return std::move(value);
}
template <class T>
awaitable<std::optional<T>> core::Once::at_most_once(Context& ctx, std::string name, awaitable<T> work) {
    static_assert(!std::is_void_v<T>, "ctx.at_most_once records a result: let the work have one, such as true");
    static_assert(can_record<T>());
    constexpr auto* shape = json_detail::shape_if_any<T>();
    const Scope* scope = co_await awaiting_scope();
    if (scope->is_one_of_several()) refuse_within_all("ctx.at_most_once");
    auto notes = notes_of(ctx);
    std::optional<T> value;
    if (!notes) {
        const InProgress effect(ctx.effects_);
        value = co_await std::move(work);
        co_return value;
    }
    value.emplace();
    const auto known = notes->effect(name, shape, std::addressof(*value));
    if (known == Notes::EffectState::begun) value.reset();
    if (known != Notes::EffectState::not_begun) co_return value;
    while (notes->wait()) co_await store_change_of(notes->run());  // for the lease
    notes->begin(name);
    while (notes->wait()) co_await store_change_of(notes->run());
    notes->demand_it();
    {
        const InProgress effect(ctx.effects_);
        value = co_await std::move(work);
    }
    notes->finish(name, shape, std::addressof(*value));
    while (notes->wait()) co_await store_change_of(notes->run());
    notes->demand_it();
    co_return value;
}
}
