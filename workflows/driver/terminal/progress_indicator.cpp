// The next count overwrites the line, and hide() erases it: it never stays on the screen.
#include "workflows/driver/terminal/progress_indicator.hpp"
#include "steps/view/event_entries.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace weft::driver {
namespace {
using SilenceClock = std::chrono::steady_clock;
constexpr auto time_of_silence = std::chrono::seconds(2), time_of_a_count = std::chrono::seconds(1);
}

bool ProgressIndicator::can_be_seen() {
    const char* terminal = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) && terminal && *terminal && std::strcmp(terminal, "dumb") != 0;
}
ProgressIndicator::ProgressIndicator() : is_seen_(can_be_seen()) {}
ProgressIndicator::~ProgressIndicator() { hide(); }
void ProgressIndicator::wait() {
    if (!is_seen_) return;
    std::lock_guard lock(mutex_);
    waits_ = true;
    if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { count(std::move(stop)); });
    changed_.notify_one();
}
void ProgressIndicator::hide() {
    if (!is_seen_) return;
    std::lock_guard lock(mutex_);
    waits_ = false;
    if (shown_) driver::tell("\r\x1B[K");
    shown_ = false;
    changed_.notify_one();
}
void ProgressIndicator::tell(const RunProgressEvent& progress) {
    if (!is_seen_) return;
    std::lock_guard lock(mutex_);
    progress_ = progress;
}
std::string ProgressIndicator::line(std::chrono::seconds waited, const RunProgressEvent& progress) {
    std::string line = "... at work, " + std::to_string(waited.count()) + " s";
    if (progress.settled < progress.begun && progress.begun > 1) line += ", " + view::progress_sentence(progress);
    return line;
}
void ProgressIndicator::count(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return waits_; })) {
        const auto begun = SilenceClock::now();
        auto next = begun + time_of_silence;
        while (!changed_.wait_until(lock, stop, next, [this] { return !waits_; }) && !stop.stop_requested()) {
            const auto waited = std::chrono::duration_cast<std::chrono::seconds>(SilenceClock::now() - begun);
            driver::tell("\r\x1B[K" + line(waited, progress_));
            shown_ = true;
            next += time_of_a_count;
        }
    }
}
}
