// Reads a call as models write it, name(arguments), in a closed grammar; and writes one.
//
//     auto call = read_call("multiply(465, b=300 + 21)", parameters_of);
//     call.tool;         // multiply
//     call.arguments;    // {"a":465,"b":321}
//     call.error;        // empty, or a sentence for the model that says where and how to repair it
//
//     call      name ( [argument {, argument} [,]] )      the last ) may be missing
//     argument  value | name = value | "name" = value     without names first; they take the parameters in their order
//     value     "text" | 'text' | """text""" | number | True | False | None | true | false | null
//               | [values] | (values) | {"text": value, ..} | call | (value)
//               | arithmetic of numbers: + - * / % ** and signs, with the rules of tools/calculator.hpp
//
// Nothing else: no names, no attributes, no comparisons. A call among the arguments is an InnerCall, and in its place
// stands its text until it has been run. One pass; at most 32 levels, 16 calls, 8 of them in each other, and 1 MB.
#pragma once
#include "steps/agents/common/inner_call.hpp"
#include <functional>
#include <optional>
#include <string_view>

namespace weft::agents::inline react_steps {
struct CallExpression {
    std::string tool;
    std::string arguments;         // JSON text of an object
    std::vector<InnerCall> inner;  // each after those that it takes results from
    std::string error;
    std::size_t end = 0;       // behind it
    std::size_t examined = 0;  // characters, so that a test can show that the work is linear
    bool ok() const { return error.empty(); }
};
/// In the order of their declaration; nothing for a tool that there is not, whose values are called 1, 2, ...
using ParametersOf = std::function<std::optional<std::vector<std::string>>(std::string_view tool)>;
CallExpression read_call(std::string_view text, const ParametersOf&);
/// The call that the text begins with, whatever follows it from `end` on. Its last ) must be there.
CallExpression read_closed_call(std::string_view text, const ParametersOf&);

/// The call that reads back as these arguments (JSON text of an object), in their order. Throws Error{bad_json}.
std::string write_call(std::string_view tool, std::string_view arguments);
}
