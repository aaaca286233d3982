// Runs a worker (tests/crash/worker.cpp) as a child process, and returns its output and whether it was killed.
//
//     auto ended = run_worker({.workflow = "react", .folder = folder.path(""), .url = server.url()});
//     if (ended.killed) ...
#pragma once
#include <atomic>
#include <string>
#include <sys/types.h>
#include <vector>

namespace crash {
struct Work {
    std::string workflow, folder, url;
    std::string how = "start";              // or resume, or recover: the way to continue the run
    std::string kill;                       // WEFT_KILL
    long clock_shift_s = 0;                 // the shift of its clock's date
    std::atomic<pid_t>* process = nullptr;  // gets the process id, for a kill
};
struct Ended {
    bool killed = false;
    std::vector<std::string> lines;
    /// Returns the rest of the last line that begins with these words, or an empty text without such a line.
    std::string said(const std::string& words) const;
    std::size_t count(const std::string& words) const;
};
/// Throws std::runtime_error if the worker fails or a signal other than SIGKILL ends it.
Ended run_worker(const Work&);
}
