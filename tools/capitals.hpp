// The capital of every country: the members and observers of the United Nations, and Kosovo, Taiwan and Western Sahara.
//
//     capital_of("Spain");         // "Madrid"; letter case, blanks, accents' absence and short names do not count
//
// The name must be the whole name: no fragments, no guesses. An unknown country is a ToolError that says so.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <string_view>

namespace weft::tools {
std::string_view capital_of(std::string_view country);
std::shared_ptr<Tool> get_country_capitals();
}
