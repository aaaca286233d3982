// Makes a step from a lambda and a name, which checks and drawings show.
//
//     inline constexpr auto shout = named_step<"shout">([](Context&, NameEvent e) {
//         return GreetingEvent{.text = e.text + "!"};
//     });
//     inline constexpr auto loud = workflow("loud", shout.workers(2));
//     shout(ctx, NameEvent{.text = "you"});                       // in a unit test
//
// The lambda has no captures and no auto parameters. It may be a coroutine. Errors of g++ show the name; errors of
// clang 14 show the line of the workflow.
#pragma once
#include "engine/workflow.hpp"
#include <algorithm>

namespace weft {
namespace core {
template <std::size_t N> struct StepName {
    char text[N];
    constexpr StepName(const char (&name)[N]) { std::copy_n(name, N, text); }
    constexpr std::string_view view() const { return {text, N - 1}; }
};
template <class F>
concept Plain = std::is_empty_v<F> && std::is_default_constructible_v<F> && requires(F f) {
    +f;
};

/// Takes the place of the function in step<>: a type without state, which a template argument may be.
template <StepName name, class F> struct Named { using Function = void (*)(); };
template <StepName name, Plain F> struct Named<name, F> {
    using Function = decltype(+F());
    constexpr operator Function() const { return +F(); }  // no closure, because a coroutine could outlive it
};
template <StepName name, Plain F> struct Signature<Named<name, F>> : Signature<decltype(+F())> {};
template <StepName name, class F> struct Signature<const Named<name, F>> : Signature<Named<name, F>> {};

template <StepName name, class F> constexpr std::string_view name_of(Named<name, F>) { return name.view(); }
template <auto F>
requires requires { name_of(F); }
struct FunctionName<F> {
    static constexpr std::string_view name = name_of(F), base = name;
};
}
template <core::StepName name, class F> constexpr auto named_step(F) {
    constexpr core::Named<name, F> function{};
    (void)core::check::step<function>::template is_a_lambda_without_captures<core::Plain<F>>::value;
    return Step<function>{};
}
}
