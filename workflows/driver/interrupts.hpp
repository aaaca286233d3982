// Ctrl-C, and SIGTERM: the first one asks to stop, the second one ends the process at once.
//
//     Interrupts interrupts;                                        // once in a process
//     { Interrupts::Watch watch(interrupts, [&] { run.cancel(); }); ... }      // while a run goes on
//     if (interrupts.seen()) ...
// The second one restores the terminal to what the first Interrupts found, because a prompt may have changed it. A
// signal that was ignored when the process began stays ignored, as nohup and background jobs want it.
#pragma once
#include <functional>
#include <string>
#include <thread>

namespace weft::driver {
class Interrupts {
public:
    Interrupts();
    Interrupts(const Interrupts&) = delete;
    bool seen() const noexcept;
    void end_if_seen(const std::string& when) const;  // throws Error{cancelled}
    bool terminated() const noexcept;                 // by SIGTERM, which is never forgotten
    void forget() noexcept;                           // the next one is the first again
    /// What the second signal writes to the terminal first, or null. It has to be a literal.
    static void leave_with(const char* text) noexcept;
    /// Readable from the first signal on.
    int descriptor() const noexcept { return pipe_[0]; }

    /// Calls the function once, on a thread of its own, when the first signal comes, or has come.
    class Watch {
    public:
        Watch(const Interrupts&, std::function<void()> on_first);
        ~Watch();
        Watch(const Watch&) = delete;

    private:
        int end_[2] = {-1, -1};
        std::thread thread_;
    };

private:
    int pipe_[2] = {-1, -1};
};
}
