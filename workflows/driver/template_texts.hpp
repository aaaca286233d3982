// The templates of `weft init`; CMake makes the function from workflows/driver/templates.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

namespace weft::driver {
/// Pairs of a path, such as agent/main.cpp, and its text, with @name@ for the name of the project.
std::vector<std::pair<std::string_view, std::string_view>> template_texts();
}
