// What an untrusted JSON Schema may not contain, because the library that validates by it would crash or hang:
// references that lead out of the document or to something that is not a schema; parts that lead to themselves without
// going into the value ($ref, allOf, not, if and the like), or from one to the other too far, or that multiply;
// multipleOf 0, patterns that tools/schema/pattern.hpp does not support, and patternProperties. The library would match
// the latter by std::regex, which needs a stack as deep as the text and, for some patterns, exponential time; the text
// of a model must not cause that. What multiplies with the depth of a value is bounded while it is validated
// (tools/schema/arguments.cpp).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace weft::tools {
/// What is wrong with it: a predicate such as "has a pattern at #/properties/a, ..."; empty if nothing is.
std::string schema_mistake(const nlohmann::json& schema);
/// Every place of a valid schema where a schema stands, the whole included: objects and booleans. Contents of unknown
/// keywords count, because a reference may lead there; values such as those of enum and default do not.
std::vector<nlohmann::json*> schemas_in(nlohmann::json& schema);
}
