// The only templates that touch events of a running run: they move events from cells into steps, and results into
// cells.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/graph/signature.hpp"
#include "engine/core/loop/run_core.hpp"
#include <array>

namespace weft::core {
template <class T> inline constexpr bool is_vector = false;
template <class T> inline constexpr bool is_vector<std::vector<T>> = true;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_variant = false;
template <class... T> inline constexpr bool is_variant<std::variant<T...>> = true;

template <class Events, class Fans, class R> void emit(StepCall& call, R&& result) {
    using T = std::remove_cvref_t<R>;
    if constexpr (std::is_same_v<T, std::monostate>) {
    } else if constexpr (is_variant<T>) {
        const auto emit_held = [&]<std::size_t... I>(std::index_sequence<I...>) {
            (void)((result.index() == I && (emit<Events, Fans>(call, std::move(*std::get_if<I>(&result))), true)) ||
                   ...);
        };
        emit_held(std::make_index_sequence<std::variant_size_v<T>>{});  // std::visit copies small variants three times
    } else if constexpr (is_optional<T>) {
        if (result) emit<Events, Fans>(call, *std::move(result));
    } else if constexpr (is_vector<T>) {
        call.fan_out = std::uint8_t(index_of<T, Fans> + 1);
        call.emitted.reserve(result.size());
        for (auto&& r : result) emit<Events, Fans>(call, std::move(r));
    } else {
        call.emit(TypeIndex(index_of<T, Events>), std::move(result));
    }
}
template <auto Fn, class Events, class R> void emit_result(StepCall& call, R&& result) {
    emit<Events, typename Signature<decltype(Fn)>::vector_outputs>(call, std::forward<R>(result));
}

// Moves an event out of its cell, or copies it if another step, another attempt or a handler may need it.
template <class W, class E, bool copies> decltype(auto) take(Cells::Cell& cell) {
    auto* e = static_cast<E*>(cell.event());
    if constexpr (copies || W::template shared<E>) return std::as_const(*e);
    else return std::move(*e);
}
// Visits the cells of a collector or a join in order.
template <class Function> void each_cell(StepCall& call, Function function) {
    auto& state = call.run.state;
    for (Handle i = state.tokens[call.token].items; i != none; i = state.tokens[i].next)
        function(call.run.cells[state.tokens[i].cell]);
}
template <class W, bool copies, class Item, class... E> std::vector<Item> branches_of(StepCall& call, List<E...>) {
    std::vector<Item> all;
    std::size_t n = 0;
    each_cell(call, [&](Cells::Cell&) { ++n; });
    all.reserve(n);
    each_cell(call, [&](Cells::Cell& cell) {
        if constexpr (sizeof...(E) == 1) (all.push_back(take<W, E, copies>(cell)), ...);
        else
            (void)((cell.type == TypeIndex(index_of<E, typename W::Events>) &&
                    (all.emplace_back(std::in_place_type<E>, take<W, E, copies>(cell)), true)) ||
                   ...);
    });
    return all;
}
template <class W, auto Fn, bool copies> auto branches_of(StepCall& call) {
    using S = Signature<decltype(Fn)>;
    return branches_of<W, copies, typename S::item>(call, typename S::events{});
}
template <std::size_t n> std::array<Cells::Cell*, n> parts_of(StepCall& call) {
    std::array<Cells::Cell*, n> parts{};
    std::size_t i = 0;
    each_cell(call, [&](Cells::Cell& cell) { parts[i++] = &cell; });
    return parts;
}
// Copies the input of a step.
template <class W, auto Fn> auto input_of(StepCall& call) {
    using S = Signature<decltype(Fn)>;
    using Input = typename S::input;
    if constexpr (S::collects) return branches_of<W, Fn, true>(call);
    else if constexpr (S::joins)
        return [&]<class... E, std::size_t... I>(List<E...>, std::index_sequence<I...>) {
            const auto parts = parts_of<S::parts>(call);
            return Input(take<W, E, true>(*parts[I])...);
        }(typename S::events{}, std::make_index_sequence<S::parts>{});
    else return Input(take<W, Input, true>(*call.input));
}
void add_cause(StepFailedEvent&);  // after reading: makes an Error from code and error
template <auto F, class Failure, class W> Emitted put_failure(StepCall& call, StepFailedEvent&& failure) {
    constexpr auto type = TypeIndex(index_of<Failure, typename W::Events>);
    if constexpr (std::is_same_v<Failure, StepFailedEvent>) return call.run.cells.put(type, std::move(failure));
    else return call.run.cells.put(type, Failure{std::move(failure), input_of<W, F>(call)});
}

template <auto Fn, class... D, std::size_t... I, class... Arguments>
decltype(auto) apply_to(StepCall& call, List<D...>, std::index_sequence<I...>, Arguments&&... arguments) {
    return Fn(call.context, std::forward<Arguments>(arguments)..., call.resource<D>(I)...);
}
template <auto Fn, class... Arguments> decltype(auto) apply_to(StepCall& call, Arguments&&... arguments) {
    using Resources = typename Signature<decltype(Fn)>::resources;
    return apply_to<Fn>(call, Resources{}, std::make_index_sequence<Resources::size>{},
                        std::forward<Arguments>(arguments)...);
}
template <auto Fn, bool copies, class W, class... E, std::size_t... I>
decltype(auto) apply_joined(StepCall& call, List<E...>, std::index_sequence<I...>) {
    const auto parts = parts_of<sizeof...(E)>(call);
    return apply_to<Fn>(call, take<W, E, copies>(*parts[I])...);
}
template <auto Fn, bool copies, class W> decltype(auto) apply(StepCall& call) {
    using S = Signature<decltype(Fn)>;
    if constexpr (S::collects) return apply_to<Fn>(call, branches_of<W, Fn, copies>(call));
    else if constexpr (S::joins)
        return apply_joined<Fn, copies, W>(call, typename S::events{}, std::make_index_sequence<S::parts>{});
    else return apply_to<Fn>(call, take<W, typename S::input, copies>(*call.input));
}
template <auto Fn, bool copies, class W> void call_step(StepCall& call) {
    using S = Signature<decltype(Fn)>;
    if constexpr (std::is_void_v<typename S::result>) apply<Fn, copies, W>(call);
    else emit_result<Fn, typename W::Events>(call, apply<Fn, copies, W>(call));
}
template <auto Fn> using PromiseOf = Promise<typename Signature<decltype(Fn)>::result>;

template <auto Fn, class Events> void collect_step(WaitingCall& call) {
    auto& promise = std::coroutine_handle<PromiseOf<Fn>>::from_address(call.coroutine.address()).promise();
    if constexpr (std::is_void_v<typename Signature<decltype(Fn)>::result>) promise.take();
    else if (promise.error) std::rethrow_exception(promise.error);
    else emit_result<Fn, Events>(call, std::move(*promise.value));
}
void ended(Scope*);  // engine/core/loop/ended_attempts.cpp: the coroutine has ended after a wait

// Makes the coroutine. A reference parameter refers to an object that outlives the coroutine: the event in its cell, or
// an object kept by the call.
template <auto Fn, bool copies, class W> auto make_coroutine(WaitingCall& call) {
    using S = Signature<decltype(Fn)>;
    if constexpr (S::collects && S::by_reference) {
        using Items = typename S::input;
        auto* items = new Items(branches_of<W, Fn, copies>(call));
        call.keep(items, [](void* p) { delete static_cast<Items*>(p); });
        return apply_to<Fn>(call, *items);
    } else return apply<Fn, copies, W>(call);
}
template <auto Fn, bool copies, class W> bool start_step(WaitingCall& call) {
    auto handle = PrivateAccess::release(make_coroutine<Fn, copies, W>(call));
    call.coroutine = handle;
    handle.promise().scope = call.scope;
    handle.resume();
    if (handle.done()) {
        collect_step<Fn, typename W::Events>(call);
        return true;
    }
    handle.promise().on_end = &ended;
    return false;
}
}
