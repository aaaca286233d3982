// The environment of a child process: names and values, of which it gets no others.
//
//     auto environment = process::basic_environment();
//     environment["LANG"] = "C.UTF-8";
#pragma once
#include <map>
#include <string>

namespace weft::process {
using Environment = std::map<std::string, std::string>;

/// What every program may expect, and what holds no secret: HOME LOGNAME PATH SHELL TERM USER, as far as we have them.
Environment basic_environment();
}
