// How a process has ended, and its removal from the system's table, by its pidfd: no handler of SIGCHLD, and no other
// child of the program is touched. Internal to engine/process.
#pragma once
#include "engine/process/launch.hpp"

namespace weft::process {
/// Of one that has ended; it stays a zombie.
ExitStatus look_at_exit(int handle);
/// Of one that has been killed. Waits some milliseconds at most: what takes longer is left to a thread.
ExitStatus reap(Descriptor handle);
}
