// A worker (tests/crash/worker.cpp) as a process of the test's: what it has said, and whether it was killed.
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
    std::string how = "start";              // or resume, or recover: how it goes on with what is there
    std::string kill;                       // WEFT_KILL
    long clock_shift_s = 0;                 // its clock's date is wrong by so much
    std::atomic<pid_t>* process = nullptr;  // where others find it, to kill it
};
struct Ended {
    bool killed = false;
    std::vector<std::string> lines;
    /// What a line says after these words; empty if there is none. The last one counts.
    std::string said(const std::string& words) const;
    std::size_t count(const std::string& words) const;
};
/// Throws std::runtime_error if it ends in any other way than by itself or by SIGKILL.
Ended run_worker(const Work&);
}
