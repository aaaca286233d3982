// Rejects parts of an untrusted JSON Schema that would crash or hang the validating library: references that lead out
// of the document or to something that is not a schema; parts that lead to themselves on the same value ($ref, allOf,
// not, if and the like), form long chains, or multiply; multipleOf 0; patterns that tools/schema/pattern.hpp does not
// support; and patternProperties. The library would match these by std::regex, which needs a stack as deep as the text
// and, for some patterns, exponential time; a model's text must not cause that. The validation itself limits work that
// multiplies with the depth of a value (tools/schema/arguments.cpp).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace weft::tools {
/// The error: the part of a sentence after "it", such as "has a pattern at #/properties/a, ..."; empty: none.
std::string schema_mistake(const nlohmann::json& schema);
/// All places of schemas in a valid schema, also the root: objects and booleans. Contents of unknown keywords are
/// included, because references may lead there; values such as those of enum and default are not.
std::vector<nlohmann::json*> schemas_in(nlohmann::json& schema);
}
