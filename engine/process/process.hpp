// A child process with pipes that a loop reads and writes.
//
//     process::Options options{.command = "sort", .arguments = {"-r"}};
//     process::Process sort(*co_await this_runtime(), options);       // throws Error{configuration} without one
//     co_await sort.write("a\nb\n");
//     sort.close_input();
//     while (auto line = co_await sort.read_line()) std::cout << line->text << '\n';
//     auto status = co_await sort.stop();                              // status.sentence(): "exited with code 0"
//
// There is no shell. The child gets only the given environment, its three pipes and no other descriptor, default signal
// handling, and its own session: no terminal, and a group that ends as a whole.
//
// Standard error is always read, so that it never blocks the child; its end is kept for messages. Standard output is
// read until a bound of untaken lines; then the child has to wait. A line above the bound is dropped, and reported with
// its length. If this program dies in any way, the child sees the end of its input.
//
// A Process belongs to the loop that started it: use and destroy it there, or after the loop's end, which also ends the
// reading. The destructor kills the rest of the group, and waits at most some milliseconds; stop() ends it gracefully.
// A process that left the group by its own session (a daemon) is not reached. In a program that ignores SIGCHLD the
// system does not keep exit statuses: then the status is unknown, and the rest of the group is not killed.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/process/environment.hpp"
#include "engine/process/line_splitter.hpp"
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
    std::string command = {};  // a path, relative to `folder`, or a name to search in PATH
    std::vector<std::string> arguments = {};
    Environment environment = basic_environment();             // complete; its PATH is searched for the command
    std::string folder = {};                                   // working directory; empty: this program's
    std::size_t longest_line = 16 << 20;                       // maximum bytes of a line of standard output
    std::size_t waiting_output = 1 << 20;                      // bytes of untaken lines; then the child has to wait
    std::size_t kept_errors = 4 << 10;                         // bytes kept from the end of standard error
    std::function<void(std::string_view)> on_error_line = {};  // called on the loop; its exceptions are ignored
    // Waits of stop() for the child's end, by the loop's clock:
    std::chrono::nanoseconds end_of_input_grace = std::chrono::seconds(2);  // wait before SIGTERM to the group
    std::chrono::nanoseconds terminate_grace = std::chrono::seconds(2);     // wait before SIGKILL to the group
};

struct ExitStatus {
    bool known = false;  // false: still running, or other code of this program took the status
    int code = 0;
    int signal = 0;  // 0: exited normally
    bool ok() const { return known && code == 0 && signal == 0; }
    std::string sentence() const;  // "exited with code 3", "was ended by signal 11 (Segmentation fault)"
};

class Process {
public:
    /// Throws Error{configuration} if the program or folder does not exist, or the system refuses, and Error{usage} for
    /// texts that cannot be passed to a program.
    Process(const Runtime&, Options);
    Process(Process&&) noexcept = default;
    Process& operator=(Process&&) noexcept;
    ~Process();

    /// Writes all of it before later texts. Waits while the child does not read; a cancelled wait leaves no partial
    /// text: a piece in progress is written to its end. Throws Error{step_failed} if the child has closed its input or
    /// has ended, or after close_input(); SIGPIPE never reaches the program.
    awaitable<void> write(std::string);
    /// Writes without a wait. Does nothing if writing is impossible, or too much waits already.
    void send(std::string);
    /// Closes the input after pending writes. A second call does nothing.
    void close_input();
    /// Returns the next line of standard output; nullopt at its end. Only one coroutine reads at a time.
    awaitable<std::optional<SplitLine>> read_line();
    /// Waits for the end of the started process. Its own children may continue.
    awaitable<ExitStatus> ended();
    /// Closes the input, waits, sends SIGTERM to the group, waits, sends SIGKILL. Afterwards the whole group has ended.
    /// Untaken lines are dropped if there are too many. A wait ends early when the process and its output have ended.
    awaitable<ExitStatus> stop();

    int id() const;
    ExitStatus status() const;        // the status, if known
    std::string last_errors() const;  // the end of standard error, unchanged: not safe for a terminal

private:
    std::shared_ptr<Child> child_;
};
}
