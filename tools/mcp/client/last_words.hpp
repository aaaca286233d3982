// Why a process has ended, out of what it wrote to its standard error: most write their reason between the lines of a
// stack, which tell a user nothing.
//
//     mcp::last_words(errors, 400);       // "Error: Cannot find module 'server.js'"
#pragma once
#include <string>
#include <string_view>

namespace weft::tools::mcp {
/// From the last line that names an error to the end, without the lines of a stack; if none does, the last lines. About
/// this many bytes.
std::string last_words(std::string_view errors, std::size_t most);
}
