// A tool as YAML, the way the function-call dialect shows it to a model:
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
// The types are those of JSON Schema. Whatever is not a plain word is quoted, so that no description can look like
// another line.
#pragma once
#include "tools/tool.hpp"

namespace weft::agents::inline react_steps {
std::string tool_yaml(const tools::Tool&);
}
