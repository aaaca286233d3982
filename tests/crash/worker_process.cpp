// fork and exec; the standard output is read until its end, which is the process's death.
#include "tests/crash/worker_process.hpp"
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace crash {
namespace {
std::vector<std::string> read_lines(int from) {
    std::string text;
    std::array<char, 4096> block;
    for (ssize_t n; (n = ::read(from, block.data(), block.size())) > 0;) text.append(block.data(), std::size_t(n));
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}
[[noreturn]] void become_worker(const Work& work, int output) {
    ::dup2(output, STDOUT_FILENO);
    ::setenv("WEFT_KILL", work.kill.c_str(), 1);
    ::setenv("WEFT_CLOCK_SHIFT_S", std::to_string(work.clock_shift_s).c_str(), 1);
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // saves half of a worker's time; other tests find leaks
    ::execl(WEFT_CRASH_WORKER, WEFT_CRASH_WORKER, work.workflow.c_str(), work.folder.c_str(), work.url.c_str(),
            work.how.c_str(), nullptr);
    ::_exit(127);
}
}
std::string Ended::said(const std::string& words) const {
    for (auto line = lines.rbegin(); line != lines.rend(); ++line)
        if (line->starts_with(words)) return line->substr(words.size());
    return {};
}
std::size_t Ended::count(const std::string& words) const {
    std::size_t n = 0;
    for (auto& line : lines) n += line.starts_with(words);
    return n;
}
Ended run_worker(const Work& work) {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for a worker");
    const pid_t process = ::fork();
    if (process < 0) throw std::runtime_error("no process for a worker");
    if (process == 0) become_worker(work, pipe[1]);
    if (work.process) *work.process = process;
    ::close(pipe[1]);
    Ended ended;
    ended.lines = read_lines(pipe[0]);
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(process, &status, 0);
    ended.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (ended.killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return ended;
    throw std::runtime_error("a worker has ended with status " + std::to_string(status) + ", killed at '" + work.kill +
                             "': its last words are '" + (ended.lines.empty() ? "" : ended.lines.back()) + "'");
}
}
