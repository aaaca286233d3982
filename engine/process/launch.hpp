// Starts a program with three pipes, without a shell, and with no other descriptors. Internal to engine/process.
#pragma once
#include "engine/process/process.hpp"
#include "engine/text/descriptor.hpp"
#include <sys/types.h>

namespace weft::process {
struct LaunchedProcess {
    pid_t id = -1;                     // number of the process, its group and its session
    Descriptor handle;                 // a pidfd
    Descriptor input, output, errors;  // this program's ends, non-blocking
};
/// Throws the errors of Process's constructor.
LaunchedProcess launch(const Options&);
/// Returns the file of the program.
std::string find_program(const Options&);
}
