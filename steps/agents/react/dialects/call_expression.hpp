// Reads and writes a call as models write it, name(arguments), in a closed grammar.
//
//     auto call = read_call("multiply(465, b=300 + 21)", parameters_of);
//     call.tool;         // multiply
//     call.arguments;    // {"a":465,"b":321}
//     call.error;        // empty, or a sentence for the model with the place and the cure
//
//     call      name ( [argument {, argument} [,]] )      the last ) may be missing
//     argument  value | name = value | "name" = value     unnamed values come first, in the order of the parameters
//     value     "text" | 'text' | """text""" | number | True | False | None | true | false | null
//               | [values] | (values) | {"text": value, ..} | call | (value)
//               | arithmetic of numbers: + - * / % ** and signs, with the rules of tools/calculator.hpp
//
// The grammar has no variables, no attributes and no comparisons. A call among the arguments is an InnerCall; its text
// fills its place until it has run. One pass; at most 32 levels, 16 calls, 8 of them nested, and 1 MB.
#pragma once
#include "steps/agents/common/inner_call.hpp"
#include <functional>
#include <optional>
#include <string_view>

namespace weft::agents::inline react_steps {
struct CallExpression {
    std::string tool;
    std::string arguments;         // JSON text of an object
    std::vector<InnerCall> inner;  // each call after those whose results it takes
    std::string error;
    std::size_t end = 0;       // the position after the call
    std::size_t examined = 0;  // number of characters, by which tests check that the time is linear
    bool ok() const { return error.empty(); }
};
/// Returns a tool's parameters in the order of their declaration; empty for an unknown tool, whose values get the names
/// 1, 2, ...
using ParametersOf = std::function<std::optional<std::vector<std::string>>(std::string_view tool)>;
CallExpression read_call(std::string_view text, const ParametersOf&);
/// Reads the call at the beginning of the text; any text may follow it from `end` on. The last ) must be present.
CallExpression read_closed_call(std::string_view text, const ParametersOf&);

/// Writes a call that reads back as these arguments (JSON text of an object), in their order. Throws Error{bad_json}.
std::string write_call(std::string_view tool, std::string_view arguments);
}
