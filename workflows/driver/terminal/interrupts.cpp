// A signal handler may do very little: it writes a byte to a pipe, and the thread that reads the pipe does the rest. At
// the second signal the handler restores the terminal and ends the process.
#include "workflows/driver/terminal/interrupts.hpp"
#include "engine/core/wait/start_thread.hpp"
#include "engine/error.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace weft::driver {
namespace {
volatile std::sig_atomic_t terminations = 0;
std::atomic<std::int64_t> first{0};  // time of the first signal; two may arrive concurrently
static_assert(decltype(first)::is_always_lock_free);
int wake = -1, wake_continued = -1;
termios terminal{};
bool has_terminal = false;
const char* volatile last_words = nullptr;

/// Safe in a signal handler. Leaves the terminal alone in the background, where another process owns it.
void give_terminal_back() {
    if (!has_terminal || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
    const char* text = last_words;
    [[maybe_unused]] auto n = text ? ::write(STDERR_FILENO, text, std::strlen(text)) : 0;
}

std::int64_t now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec + 1;  // never 0
}
void on_signal(int signal) {
    const int saved = errno;
    if (signal != SIGINT) terminations = 1;
    const auto time = now();
    std::int64_t before = 0;
    first.compare_exchange_strong(before, time);
    switch (stop_signal(before, time)) {
    case StopSignal::first: {
        [[maybe_unused]] auto n = ::write(wake, "x", 1);
        break;
    }
    case StopSignal::same: break;
    case StopSignal::again:
        give_terminal_back();
        static constexpr char text[] = "\nweft: interrupted again: weft ends at once\n";
        [[maybe_unused]] auto n = ::write(STDERR_FILENO, text, sizeof text - 1);
        ::_exit(static_cast<int>(ExitCode::cancelled));
    }
    errno = saved;
}
void on_continued(int) {
    const int saved = errno;
    [[maybe_unused]] auto n = ::write(wake_continued, "x", 1);
    errno = saved;
}
/// The handler of Ctrl-Z and Ctrl-\, which then have their usual effect. If the process cannot stop, the prompt stays.
void on_leave(int signal) {
    const int saved = errno;
    give_terminal_back();
    struct sigaction usual {
    }, mine{};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, &mine);
    sigset_t only, before;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::raise(signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, &before);  // the process stops here
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::sigaction(signal, &mine, nullptr);
    on_continued(SIGCONT);
    errno = saved;
}
/// Installs the handler unless the signal is ignored.
void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action {
    }, before{};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}
void open_pipe(int (&ends)[2]) {
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        throw Error(Code::configuration, "the system has no file descriptors left: raise its limit (ulimit -n)");
}
}

Interrupts::Interrupts() {
    open_pipe(pipe_);
    wake = pipe_[1];
    has_terminal = ::tcgetattr(STDIN_FILENO, &terminal) == 0;
    open_pipe(continued_);
    wake_continued = continued_[1];
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        handle(signal, on_signal, 0);  // without SA_RESTART: a read ends, so that its reader can look
    if (!has_terminal) return;
    for (const int signal : {SIGTSTP, SIGQUIT}) handle(signal, on_leave, SA_RESTART);
    handle(SIGCONT, on_continued, SA_RESTART);
}
void Interrupts::leave_with(const char* text) noexcept { last_words = text; }
bool Interrupts::seen() const noexcept { return first.load() != 0; }
std::function<void()> ending_if_seen(const Interrupts& interrupts) {
    return [&interrupts] {
        if (interrupts.seen()) throw Error(Code::cancelled, "cancelled, while the MCP servers were starting");
    };
}
bool Interrupts::terminated() const noexcept { return terminations > 0; }
void Interrupts::forget() noexcept {
    char byte = 0;
    while (::read(pipe_[0], &byte, 1) > 0) {}
    first = 0;
    if (terminations == 0) return;
    first = now();  // SIGTERM or SIGHUP followed the forgotten signal, and counted as the same request
    [[maybe_unused]] auto n = ::write(wake, "x", 1);
}
void Interrupts::forget_continued() const noexcept {
    char byte = 0;
    while (::read(continued_[0], &byte, 1) > 0) {}
}

Interrupts::InterruptWatch::InterruptWatch(const Interrupts& interrupts, std::function<void()> on_first) {
    open_pipe(end_);
    auto wait = [signalled = interrupts.descriptor(), ended = end_[0], on_first = std::move(on_first)] {
        pollfd either[] = {{signalled, POLLIN, 0}, {ended, POLLIN, 0}};
        while (::poll(either, 2, -1) < 0 && errno == EINTR) {}
        if (either[0].revents && !either[1].revents) on_first();
    };
    thread_ = core::start_thread("signals", std::move(wait));
}
Interrupts::InterruptWatch::~InterruptWatch() {
    [[maybe_unused]] auto n = ::write(end_[1], "x", 1);
    thread_.join();
    ::close(end_[0]);
    ::close(end_[1]);
}
}
