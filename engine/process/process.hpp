// A child process whose pipes are read and written on a loop.
//
//     process::Options options{.command = "sort", .arguments = {"-r"}};
//     process::Process sort(*co_await this_runtime(), options);       // throws Error{configuration} if there is none
//     co_await sort.write("a\nb\n");
//     sort.close_input();
//     while (auto line = co_await sort.read_line()) std::cout << line->text << '\n';
//     auto status = co_await sort.stop();                              // status.sentence(): "exited with code 0"
//
// No shell is in between. The child gets only the environment that is given, its three pipes and no other descriptor,
// signals as a new program has them, and a session of its own: no terminal, and a group that is ended as a whole.
//
// Standard error is always read, so that it never blocks the child; its end is kept for sentences. Standard output is
// read until some of it waits to be taken: then the child has to wait. A line beyond the bound is left out and reported
// with its length. If this program dies, however it dies, the child sees the end of its input.
//
// A Process belongs to the loop that it was started on, and is used and destroyed there, or after the loop has gone;
// its reading goes with the loop. Its destructor kills what is left of the group and waits no longer than some
// milliseconds; stop() is the polite way. What has left the group by a session of its own (a daemon) is not reached.
// In a program that ignores SIGCHLD the system forgets how children end: then there is no status, and what a child has
// left behind in its group is not killed.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/process/environment.hpp"
#include "engine/process/lines.hpp"
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
struct Runtime;  // engine/clock.hpp
}
namespace weft::process {
class Child;

struct Options {
    std::string command;  // a path, also one from `folder` on, or a name that is looked for in PATH
    std::vector<std::string> arguments;
    Environment environment = basic_environment();  // nothing else; its PATH is where the command is looked for
    std::string folder;                             // where it starts; empty: ours
    std::size_t longest_line = 16 << 20;            // of standard output, in bytes
    std::size_t waiting_output = 1 << 20;           // so much of it in lines that nobody has taken; then it has to wait
    std::size_t kept_errors = 4 << 10;              // bytes of the end of standard error
    std::function<void(std::string_view)> on_error_line;  // on the loop; what it throws is dropped
    // How long stop() waits for the child to end, by the clock of the loop:
    std::chrono::nanoseconds end_of_input_grace = std::chrono::seconds(2);  // before SIGTERM to the group
    std::chrono::nanoseconds terminate_grace = std::chrono::seconds(2);     // before SIGKILL to the group
};

struct ExitStatus {
    bool known = false;  // else it has not ended, or somebody else in this program has taken its status
    int code = 0;
    int signal = 0;  // 0: it has exited by itself
    bool ok() const { return known && code == 0 && signal == 0; }
    std::string sentence() const;  // "exited with code 3", "was ended by signal 11 (Segmentation fault)"
};

class Process {
public:
    /// Throws Error{configuration} with a sentence if there is no such program or folder, or the system refuses, and
    /// Error{usage} for texts that no program can be given.
    Process(const Runtime&, Options);
    Process(Process&&) noexcept = default;
    Process& operator=(Process&&) noexcept;
    ~Process();

    /// All of it, before what is written next. Waits as long as the child does not read; a wait that is given up leaves
    /// no half text behind: what has begun is written to its end. Throws Error{step_failed} if the child has closed its
    /// input or has ended, or after close_input(): never a signal.
    awaitable<void> write(std::string);
    /// As write(), but nobody waits for it. Nothing happens if it cannot be written, or if too much is waiting already.
    void send(std::string);
    /// After what is being written. A second call does nothing.
    void close_input();
    /// The next line of standard output; none at its end. One coroutine reads at a time.
    awaitable<std::optional<Line>> read_line();
    /// Until the process that was started has ended. What it has started itself may go on.
    awaitable<ExitStatus> ended();
    /// Closes its input, waits, SIGTERM to the group, waits, SIGKILL. In the end nothing of the group lives. Lines that
    /// nobody takes meanwhile are thrown away once they are too many. Waits are over early when the process has ended
    /// and its output too.
    awaitable<ExitStatus> stop();

    int id() const;
    ExitStatus status() const;        // as far as it is known by now
    std::string last_errors() const;  // the end of standard error as it came: not fit for a terminal

private:
    std::shared_ptr<Child> child_;
};
}
