// What a JSON Schema of a stranger may not have, for the library that checks values by it would fall over it:
// references that lead back to themselves, out of the document or to what is no schema, multiples of nothing, patterns
// that tools/pattern.hpp does not take, and patternProperties. These the library matches by the standard library, which
// needs a stack as deep as the text and, for some patterns, time without end: what a model has written must not decide
// that.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace weft::tools {
/// What is wrong with it: a predicate such as "has a pattern at #/properties/a, ..."; empty if nothing is.
std::string schema_mistake(const nlohmann::json& schema);
/// Every place in a schema without mistakes where a schema stands, itself included: objects and booleans. What an
/// unknown keyword has may be referred to, so it counts; values such as those of enum and default do not.
std::vector<nlohmann::json*> schemas_in(nlohmann::json& schema);
}
