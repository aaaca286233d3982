// Ctrl-C, and SIGTERM: the first one asks to stop, a second one, later than 0.3 s, ends the process at once.
//
//     Interrupts interrupts;                                        // once in a process
//     { Interrupts::Watch watch(interrupts, [&] { run.cancel(); }); ... }      // while a run goes on
//     if (interrupts.seen()) ...
// The second one restores the terminal to what the first Interrupts found, because a prompt may have changed it; so do
// Ctrl-Z and Ctrl-\ before they stop the process and end it. A signal that was ignored when the process began stays
// ignored, as nohup and background jobs want it.
#pragma once
#include <cstdint>
#include <functional>
#include <thread>

namespace weft::driver {
/// The meaning of a signal. npm, pm2 and timeout send one stop twice, and a terminal sends its own to the whole group.
enum class StopSignal { first, same, again };
/// Times in nanoseconds of a steady clock; 0: there was no first signal.
constexpr StopSignal stop_signal(std::int64_t first, std::int64_t now) {
    if (first == 0) return StopSignal::first;
    return now - first < 300'000'000 ? StopSignal::same : StopSignal::again;
}

class Interrupts {
public:
    Interrupts();
    Interrupts(const Interrupts&) = delete;
    bool seen() const noexcept;
    bool terminated() const noexcept;  // by SIGTERM, which is never forgotten
    void forget() noexcept;            // the next one is the first again
    /// A literal, or null: the second signal, Ctrl-Z and Ctrl-\ write it to the terminal first.
    static void leave_with(const char* text) noexcept;
    /// Readable from the first signal on.
    int descriptor() const noexcept { return pipe_[0]; }
    /// Readable when the process goes on after a stop, until forget_continued(). Another program may have changed the
    /// terminal's mode meanwhile.
    int continued() const noexcept { return continued_[0]; }
    void forget_continued() const noexcept;

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
    int pipe_[2] = {-1, -1}, continued_[2] = {-1, -1};
};
/// For ProcessOptions::while_starting: throws Error{cancelled} after the first signal.
std::function<void()> ending_if_seen(const Interrupts&);
}
