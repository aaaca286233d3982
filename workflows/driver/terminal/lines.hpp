// Reads input line by line: with editing and a history on a terminal, plainly from a file or a pipe.
//
//     Lines lines(interrupts);
//     while (auto line = lines.next("> ", {.ctrl_c_drops = true, .deadline = Lines::Clock::now() + 1min})) ...
//
// A line has at most a megabyte. Lines that are pasted at a terminal's prompt are one line, if the terminal can say so
// (bracketed paste; not with libedit's keys of vi). A signal ends the wait for one, and so do the deadline and whoever
// does not want the line any more.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace weft::driver {
class Interrupts;
class Lines {
public:
    using Clock = std::chrono::steady_clock;
    using Deadline = std::optional<Clock::time_point>;
    struct Wait {
        bool ctrl_c_drops = false;  // Ctrl-C at a terminal's prompt drops the line that was begun, and ends nothing
        Deadline deadline;
        int unwanted = -1;       // a descriptor: once it is readable, nobody wants the line any more
        std::string begun = {};  // stands in the line at a terminal, as if it had been typed; printable ASCII
    };
    explicit Lines(Interrupts&);
    ~Lines();
    bool terminal() const noexcept { return terminal_; }
    /// Nothing at the end of the input. Throws Error{usage} for a line that is too long, after which the next one
    /// can be read, Error{cancelled} after a signal and for a line that is not wanted any more, Error{timed_out} after
    /// the deadline, Error{configuration} for an input that cannot be read. What was begun of a line then is dropped,
    /// and so is its rest. The prompt is shown on a terminal only.
    std::optional<std::string> next(const std::string& prompt, const Wait&);

    /// What was typed at a terminal and not read yet: it was meant for a question that is open no more.
    void drop_typed();

private:
    std::optional<std::string> edited(const std::string& prompt, const Wait&);
    std::optional<std::string> plain(const Wait&);
    bool fill(const Wait&);
    struct Editor;
    Interrupts& interrupts_;
    const bool terminal_;
    std::unique_ptr<Editor> editor_;
    std::string read_;
    std::size_t begin_ = 0;
    bool ended_ = false;
    bool drops_rest_ = false;  // of a line that was begun when the wait for it ended
};

/// All of standard input. Nothing if it is longer than that. Throws Error{configuration} if it cannot be read.
std::optional<std::string> read_all(std::size_t limit);
}
