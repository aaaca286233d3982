// The complete environment of a child process: names and values.
//
//     auto environment = process::basic_environment();
//     environment["LANG"] = "C.UTF-8";
#pragma once
#include <map>
#include <string>

namespace weft::process {
using Environment = std::map<std::string, std::string>;

/// Returns the variables that programs expect and that hold no secret, if set: HOME LOGNAME PATH SHELL TERM USER.
Environment basic_environment();
}
