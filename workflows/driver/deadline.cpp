// The destructors of the process do not run then: one of them may be what does not end.
#include "workflows/driver/deadline.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/exit_code.hpp"
#include <condition_variable>
#include <cstdlib>
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
            note(last_words_);
            std::_Exit(int(Exit::ok));
        });
    });
}
}
