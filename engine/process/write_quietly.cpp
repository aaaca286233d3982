// The kernel sends the signal to the writing thread: it is blocked there, consumed if it came, and unblocked. Pipes
// have no MSG_NOSIGNAL, and ignoring SIGPIPE would change the whole program and its children.
#include "engine/process/write_quietly.hpp"
#include <cerrno>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace weft::process {
ssize_t write_quietly(int to, std::string_view text) {
    sigset_t broken_pipe, before, pending;
    ::sigemptyset(&pending);
    ::sigemptyset(&broken_pipe);
    ::sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    const bool was_blocked = ::sigismember(&before, SIGPIPE);
    if (was_blocked) ::sigpending(&pending);  // else a pending signal was delivered before
    ssize_t n;
    do n = ::write(to, text.data(), text.size());
    while (n < 0 && errno == EINTR);
    const int error = errno;
    if (n < 0 && error == EPIPE && !::sigismember(&pending, SIGPIPE)) {
        const timespec at_once{};
        while (::sigtimedwait(&broken_pipe, nullptr, &at_once) < 0 && errno == EINTR) {}
    }
    if (!was_blocked) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return n;
}
}
