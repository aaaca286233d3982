// The capital of every country: the members and observers of the United Nations, and Kosovo, Taiwan and Western Sahara.
//
//     capital_of("Spain");         // "Madrid"; ignores letter case, blanks and missing accents; knows short names
//
// The name must be complete: the tool never guesses. An unknown country is a ToolError that names it.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <string_view>

namespace weft::tools {
std::string_view capital_of(std::string_view country);
std::shared_ptr<Tool> get_country_capitals();
}
