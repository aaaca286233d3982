// Writes to a pipe without SIGPIPE: a pipe without a reader is only an error, for any SIGPIPE handling of the program.
// Internal to engine/process.
#pragma once
#include <string_view>
#include <sys/types.h>

namespace weft::process {
/// Like ::write; repeated after an interruption by a signal.
ssize_t write_quietly(int to, std::string_view);
}
