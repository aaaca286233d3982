// Reads input line by line: with editing and a history on a terminal, plainly from a file or a pipe.
//
//     InputLines lines(interrupts);
//     while (auto line = lines.next("> ", {.deadline = InputLines::SteadyClock::now() + 1min})) ...
//
// A line has at most a megabyte. Lines pasted at a terminal's prompt become one line if the terminal supports bracketed
// paste (not with libedit's keys of vi). A signal, the deadline and the descriptor `unwanted` end the wait for a line.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace weft::driver {
class Interrupts;
class InputLines {
public:
    using SteadyClock = std::chrono::steady_clock;
    using Deadline = std::optional<SteadyClock::time_point>;
    struct WaitOptions {
        bool ctrl_c_drops = false;  // Ctrl-C at a terminal's prompt only drops the current line
        Deadline deadline;
        int unwanted = -1;       // a descriptor: once it is readable, the wait ends
        std::string begun = {};  // initial text of the line at a terminal, editable; printable ASCII
    };
    explicit InputLines(Interrupts&);
    ~InputLines();
    bool terminal() const noexcept { return terminal_; }
    /// Returns nothing at the end of the input. Throws Error{usage} for a line that is too long (the next one can be
    /// read), Error{cancelled} after a signal or once `unwanted` is readable, Error{timed_out} after the deadline,
    /// Error{configuration} for an input that cannot be read. After an error, drops the begun line and its rest. Shows
    /// the prompt on a terminal only.
    std::optional<std::string> next(const std::string& prompt, const WaitOptions&);

    /// Drops characters typed at a terminal and not read yet: they were meant for a question that is now closed.
    void drop_typed();

private:
    std::optional<std::string> edited(const std::string& prompt, const WaitOptions&);
    std::optional<std::string> plain(const WaitOptions&);
    bool fill(const WaitOptions&);
    struct Editor;
    Interrupts& interrupts_;
    const bool terminal_;
    std::unique_ptr<Editor> editor_;
    std::string read_;
    std::size_t begin_ = 0;
    bool ended_ = false;
    bool drops_rest_ = false;  // the wait ended within a line
};

/// All of standard input; nothing if it exceeds the limit. Throws Error{configuration} if it cannot be read.
std::optional<std::string> read_all(std::size_t limit);
}
