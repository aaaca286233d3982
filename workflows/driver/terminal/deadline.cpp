// The process then ends without its destructors: one of them may be the call that hangs.
#include "workflows/driver/terminal/deadline.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <cstdlib>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace weft::driver {
ExitDeadline::ExitDeadline(std::chrono::milliseconds time, std::string last_words)
    : time_(time), last_words_(std::move(last_words)), thread_([this](std::stop_token ended) {
          std::unique_lock lock(mutex_);
          if (!changed_.wait(lock, ended, [this] { return has_begun_; })) return;
          changed_.wait_for(lock, ended, time_, [] { return false; });
          if (ended.stop_requested()) return;
          pollfd error{STDERR_FILENO, POLLOUT, 0};  // an unread pipe may be full
          const auto line = "weft: " + last_words_ + "\n";
          if (::poll(&error, 1, 100) > 0) [[maybe_unused]]
              const auto n = ::write(error.fd, line.data(), line.size());
          std::_Exit(int(ExitCode::ok));
      }) {}
void ExitDeadline::begin() {
    {
        const std::lock_guard lock(mutex_);
        has_begun_ = true;
    }
    changed_.notify_all();
}
}
