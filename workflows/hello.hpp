// The smallest workflow: one event in, one out.
//
//     std::cout << run(hello, {.text = "World"}).text << '\n';
#pragma once
#include "engine/workflow.hpp"
#include "steps/hello/greet.hpp"

namespace weft::workflows {
inline constexpr auto hello = workflow("hello", step<steps::greet>);
}
