// A thread waits by poll(2), and a pipe wakes it at the end. A ready descriptor takes a piece of 4096 bytes without
// waiting, so the thread never blocks in write(2).
#include "workflows/mcp/line_pipes.hpp"
#include "engine/error.hpp"
#include "engine/process/write_quietly.hpp"
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace weft::mcp_server {
namespace {
constexpr std::size_t most_waiting = 16u << 20;  // maximum bytes of untaken lines
constexpr std::size_t each_line = 64;            // bytes of a line besides its text
constexpr auto last_moment = std::chrono::seconds(2);

void open_wake(int (&ends)[2]) {
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        throw Error(Code::configuration, "the system has no file descriptors left: raise its limit (ulimit -n)");
}
void wake(const int (&ends)[2]) { [[maybe_unused]] auto n = ::write(ends[1], "x", 1); }
void close_wake(const int (&ends)[2]) {
    ::close(ends[0]);
    ::close(ends[1]);
}
/// Waits for the descriptor; false if the thread has to stop.
bool until_ready(int descriptor, short events, int stop) {
    for (;;) {
        pollfd either[] = {{descriptor, events, 0}, {stop, POLLIN, 0}};
        if (::poll(either, 2, -1) < 0) {
            if (errno != EINTR) return false;
            continue;
        }
        if (either[1].revents) return false;
        if (either[0].revents) return true;
    }
}
}

LineReader::LineReader(int descriptor, std::size_t longest, Signal signal)
    : descriptor_(descriptor), longest_(longest), signal_(std::move(signal)) {
    open_wake(stop_);
    thread_ = std::thread([this] { read_all(); });
}
LineReader::~LineReader() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    taken_.notify_all();
    wake(stop_);
    thread_.join();
    close_wake(stop_);
}
std::optional<IncomingLine> LineReader::take() {
    std::lock_guard lock(mutex_);
    if (lines_.empty()) return {};
    auto line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= line.text.size() + each_line;
    taken_.notify_all();
    return line;
}
bool LineReader::closed() const {
    std::lock_guard lock(mutex_);
    return ended_;
}
bool LineReader::ended() const {
    std::lock_guard lock(mutex_);
    return ended_ && lines_.empty();
}
void LineReader::read_all() {
    std::string bytes(64 << 10, '\0');
    while (until_ready(descriptor_, POLLIN, stop_[0])) {
        const auto n = ::read(descriptor_, bytes.data(), bytes.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) break;
        add({bytes.data(), std::size_t(n)});
    }
    if (!begun_.empty() && !skipping_) add_text(std::move(begun_));  // the last line may lack its end
    {
        std::lock_guard lock(mutex_);
        ended_ = true;
    }
    signal_.ring();
}
void LineReader::add(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        begun_ += bytes.substr(0, end);
        if (begun_.size() > longest_ && !skipping_) {
            skipping_ = true;
            if (!add_line({{}, true})) return;
        }
        if (skipping_) begun_.clear();
        if (end == bytes.npos) return;
        bytes.remove_prefix(end + 1);
        if (!std::exchange(skipping_, false) && !add_text(std::move(begun_))) return;
        begun_.clear();
    }
}
/// Adds a line; false if the thread has to stop.
bool LineReader::add_text(std::string text) {
    if (text.ends_with('\r')) text.pop_back();
    if (text.find_first_not_of(" \t") == text.npos) return true;
    return add_line({std::move(text), false});
}
/// Waits while too many lines are untaken; false if the thread has to stop.
bool LineReader::add_line(IncomingLine line) {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [&] { return stopping_ || bytes_ <= most_waiting; });
    if (stopping_) return false;
    bytes_ += line.text.size() + each_line;
    lines_.push_back(std::move(line));
    lock.unlock();
    signal_.ring();
    return true;
}

LineWriter::LineWriter(int descriptor, Signal signal) : descriptor_(descriptor), signal_(std::move(signal)) {
    open_wake(stop_);
    thread_ = std::thread([this] { write_all(); });
}
LineWriter::~LineWriter() {
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, last_moment, [&] { return broken_ || bytes_ == 0; });
        stopping_ = true;
    }
    changed_.notify_all();
    wake(stop_);
    thread_.join();
    close_wake(stop_);
}
void LineWriter::put(std::string line) {
    {
        std::lock_guard lock(mutex_);
        if (broken_) return;
        bytes_ += line.size() + 1;
        lines_.push_back(std::move(line += '\n'));
    }
    changed_.notify_all();
}
std::size_t LineWriter::unwritten() const {
    std::lock_guard lock(mutex_);
    return bytes_;
}
bool LineWriter::broken() const {
    std::lock_guard lock(mutex_);
    return broken_;
}
void LineWriter::write_all() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopping_ || !lines_.empty(); });
        if (stopping_) return;
        const auto line = std::move(lines_.front());
        lines_.pop_front();
        lock.unlock();
        const bool written = write(line);
        lock.lock();
        bytes_ -= line.size();
        if (!written) {
            broken_ = true;
            lines_.clear();
            bytes_ = 0;
        }
        changed_.notify_all();
        signal_.ring();
        if (broken_) return;
    }
}
bool LineWriter::write(std::string_view text) {
    while (!text.empty()) {
        if (!until_ready(descriptor_, POLLOUT, stop_[0])) return false;
        const auto n = process::write_quietly(descriptor_, text.substr(0, PIPE_BUF));
        if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (n > 0) text.remove_prefix(std::size_t(n));
    }
    return true;
}
}
