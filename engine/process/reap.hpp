// Reads the exit status of a process and removes it from the system's table, by its pidfd: without a handler of
// SIGCHLD, and without effect on other children. Internal to engine/process.
#pragma once
#include "engine/process/launch.hpp"

namespace weft::process {
/// Returns the status of an ended process, which stays a zombie.
ExitStatus look_at_exit(int handle);
/// Reaps a killed process. Waits at most some milliseconds; a thread takes over a longer wait.
ExitStatus reap(Descriptor handle);
}
