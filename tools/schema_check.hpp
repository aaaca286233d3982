// What a JSON Schema of a stranger may not have, for the library that checks values by it would fall over it:
// references that lead back to themselves or out of the document, multiples of nothing, and patterns. These are matched
// by the standard library, which needs a stack as deep as the text and, for some patterns, time without end: what a
// model has written must not decide that.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::tools {
/// What is wrong with it: a predicate such as "has a pattern at #/properties/a, ..."; empty if nothing is.
std::string schema_mistake(const nlohmann::json& schema);
}
