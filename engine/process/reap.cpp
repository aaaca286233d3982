// A killed process ends within a millisecond, unless it has gigabytes to free or is in a disk driver. Then a separate
// thread waits for it, so that neither the loop nor a destructor has to.
#include "engine/process/reap.hpp"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <thread>

namespace weft::process {
namespace {
constexpr int patience_ms = 20;

ExitStatus take(int handle, int how) {
    siginfo_t info{};
    int result;
    do result = ::waitid(P_PIDFD, static_cast<id_t>(handle), &info, WEXITED | WNOHANG | how);
    while (result != 0 && errno == EINTR);
    ExitStatus status;
    if (result != 0 || info.si_pid == 0) return status;
    status.known = true;
    (info.si_code == CLD_EXITED ? status.code : status.signal) = info.si_status;
    return status;
}
/// Uses poll, because waitid does not wait on a non-blocking handle, and a loop has made it non-blocking.
bool ends_within(const Descriptor& handle, int milliseconds) {
    pollfd ended{handle.number(), POLLIN, 0};
    int ready;
    do ready = ::poll(&ended, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}
}

std::string ExitStatus::sentence() const {
    if (!known) return "has ended in a way that is not known";
    if (signal == 0) return "exited with code " + std::to_string(code);
    const char* description = ::sigdescr_np(signal);
    return "was ended by signal " + std::to_string(signal) + (description ? " (" + std::string(description) + ")" : "");
}
ExitStatus look_at_exit(int handle) { return take(handle, WNOWAIT); }
ExitStatus reap(Descriptor handle) {
    if (ends_within(handle, patience_ms)) return take(handle.number(), 0);
    try {
        std::thread([kept = std::move(handle)] {
            if (ends_within(kept, -1)) take(kept.number(), 0);
        }).detach();
    } catch (const std::exception&) {}  // no thread: the process stays a zombie until this program ends
    return {};
}
}
