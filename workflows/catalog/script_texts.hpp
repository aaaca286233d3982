// The text of each bundled script; CMake makes the function from workflows/catalog/scripts/*.json.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

namespace weft::catalog {
std::vector<std::pair<std::string_view, std::string_view>> script_texts();  // pairs of name and JSON, sorted by name
}
