// Finds why a process has ended in its standard error: most programs write the reason between the lines of a stack
// trace, which tell a user nothing.
//
//     mcp::stderr_tail(errors, 400);       // "Error: Cannot find module 'server.js'"
#pragma once
#include <string>
#include <string_view>

namespace weft::tools::mcp {
/// From the last line that names an error to the end, without stack lines; if no line does, the last lines. About
/// `most` bytes.
std::string stderr_tail(std::string_view errors, std::size_t most);
}
