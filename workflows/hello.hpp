// The smallest workflow: one event in, one out.
//
//     std::cout << run(hello, {.text = "World"}).text << '\n';
#pragma once
#include "engine/workflow.hpp"
#include "workflows/hello_steps.hpp"

namespace weft::workflows {
inline constexpr auto hello = workflow("hello", step<greet>);
}
