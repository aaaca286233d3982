// Describes a tool in YAML for the prompts of the function-call dialect:
//
//     func_name: add
//     func_desc: "add(a: number, b: number)\nAdds two numbers: a + b."
//     func_parameters:
//       type: object
//       properties:
//         a:
//           type: number
//       ...
//
// The types are those of JSON Schema. Every text except a plain word is quoted, so that no description can look like
// another line.
#pragma once
#include "tools/tool.hpp"

namespace weft::agents::inline react_steps {
std::string tool_yaml(const tools::Tool&);
}
