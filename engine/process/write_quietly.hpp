// Writing to a pipe that nobody reads any more is an error here, and no signal, whatever the program does with SIGPIPE.
// Internal to engine/process.
#pragma once
#include <string_view>
#include <sys/types.h>

namespace weft::process {
/// As ::write; tried again when a signal interrupts it.
ssize_t write_quietly(int to, std::string_view);
}
