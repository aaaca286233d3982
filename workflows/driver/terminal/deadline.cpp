// The process then ends without its destructors: one of them may be the call that hangs.
#include "workflows/driver/terminal/deadline.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <condition_variable>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace weft::driver {
ExitDeadline::ExitDeadline(std::chrono::milliseconds time, std::string last_words)
    : time_(time), last_words_(std::move(last_words)) {}
void ExitDeadline::begin() {
    std::call_once(begun_, [this] {
        thread_ = std::jthread([this](std::stop_token ended) {
            std::mutex mutex;
            std::condition_variable_any changed;
            std::unique_lock lock(mutex);
            changed.wait_for(lock, ended, time_, [] { return false; });
            if (ended.stop_requested()) return;
            pollfd error{STDERR_FILENO, POLLOUT, 0};  // an unread pipe may be full
            const auto line = "weft: " + last_words_ + "\n";
            if (::poll(&error, 1, 100) > 0) [[maybe_unused]]
                const auto n = ::write(error.fd, line.data(), line.size());
            std::_Exit(int(ExitCode::ok));
        });
    });
}
}
