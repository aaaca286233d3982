// a workflow has at most 64 steps: make a part of it a workflow of its own
// lines: 60
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
template <int> GreetingEvent greet(Context&, NameEvent);
template <int... N> constexpr auto many(std::integer_sequence<int, N...>) {
    return workflow("many", step<greet<N>>...);
}
#ifdef WRONG
inline constexpr auto hello = many(std::make_integer_sequence<int, 65>());
#else
inline constexpr auto hello = many(std::make_integer_sequence<int, 64>());
#endif
