// Ctrl-C, SIGTERM and SIGHUP, which a closed terminal sends: the first signal requests a stop; a second one, more than
// 0.3 s later, ends the process immediately.
//
//     Interrupts interrupts;                                        // once in a process
//     { Interrupts::InterruptWatch watch(interrupts, [&] { run.cancel(); }); ... }      // while a run is executing
//     if (interrupts.seen()) ...
// The second signal restores the terminal mode that the first Interrupts found, because a prompt may have changed it;
// so do Ctrl-Z and Ctrl-\ before they stop or end the process. A signal that was ignored at the start of the process
// stays ignored, as nohup and background jobs need.
#pragma once
#include <cstdint>
#include <functional>
#include <thread>

namespace weft::driver {
/// The meaning of a signal. npm, pm2 and timeout send a stop twice, and a terminal signals the whole group.
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
    bool terminated() const noexcept;  // true after SIGTERM or SIGHUP, also after forget()
    void forget() noexcept;            // the next signal is a first one again
    /// Sets a literal, or null, that the second signal, Ctrl-Z and Ctrl-\ first write to the terminal.
    static void leave_with(const char* text) noexcept;
    /// Readable from the first signal on.
    int descriptor() const noexcept { return pipe_[0]; }
    /// Readable from when the process continues after a stop until forget_continued(). Another program may have changed
    /// the terminal's mode meanwhile.
    int continued() const noexcept { return continued_[0]; }
    void forget_continued() const noexcept;

    /// Calls the function once, on its own thread, at the first signal, or at once after it.
    class InterruptWatch {
    public:
        InterruptWatch(const Interrupts&, std::function<void()> on_first);
        ~InterruptWatch();
        InterruptWatch(const InterruptWatch&) = delete;

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
