// The process is reaped after its group has been killed: as long as it is a zombie, no other group can have its number.
// Waits are for readiness, so no buffer has to outlive them.
#include "engine/process/child.hpp"
#include "engine/error.hpp"
#include "engine/process/reap.hpp"
#include "engine/process/write_quietly.hpp"
#include <array>
#include <boost/asio/execution_context.hpp>
#include <csignal>
#include <unistd.h>

namespace weft::process {
namespace {
using boost::system::error_code;
constexpr std::size_t longest_error_line = 64 << 10;
constexpr std::size_t bytes_of_a_turn = 256 << 10;  // maximum before other handlers of the loop have their turn
constexpr std::size_t last_errors_read = 1 << 20;
constexpr std::size_t most_unattended = 1 << 20;

// Reads up to `most` available bytes. Returns false at the end of the stream; with `to_the_end` reads until it blocks.
// The buffer has the size of a pipe. A loop's thread has room for it on its stack.
template <class Take> bool read_some(int from, std::size_t most, bool to_the_end, Take take) {
    std::array<char, 64 << 10> buffer;
    for (std::size_t sum = 0; sum < most;) {
        const auto n = ::read(from, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (n == 0) return false;
        sum += std::size_t(n);
        take(std::string_view(buffer.data(), std::size_t(n)));
        if (!to_the_end && std::size_t(n) < buffer.size()) break;  // the next wait reports later bytes
    }
    return true;
}
core::SpawnedCoroutines& residents_of(const asio::any_io_executor& executor) {
    return asio::use_service<core::SpawnedCoroutines>(asio::query(executor, asio::execution::context));
}
}

void Latch::open() {
    open_ = true;
    for (const auto& signal : std::exchange(waiting_, {})) signal.ring();
}
Signal Latch::signal_of_next() { return waiting_.emplace_back(); }

Child::Child(const Runtime& runtime, Options o)
    : options(std::move(o)),
      executor_(runtime.executor),
      streams_(executor_),
      lines_(options.longest_line),
      error_lines_(longest_error_line) {
    auto& residents = residents_of(executor_);
    auto launched = launch(options);
    id_ = launched.id;
    const auto take = [](PipeStream& stream, Descriptor& descriptor) {
        stream.assign(descriptor.number());
        descriptor.release();
    };
    try {
        take(streams_->handle, launched.handle);
        take(streams_->input, launched.input);
        take(streams_->output, launched.output);
        take(streams_->errors, launched.errors);
    } catch (...) {  // no memory
        signal_group(SIGKILL);
        reap(streams_->handle.is_open() ? Descriptor(streams_->handle.release()) : std::move(launched.handle));
        throw;
    }
    residents.add(*this);
}
Child::~Child() { end(); }
void Child::begin() {
    wait(&Streams::handle, PipeStream::wait_read, &Child::on_exit);
    wait(&Streams::errors, PipeStream::wait_read, &Child::on_errors);
    look_at_output();
}
void Child::wait(PipeStream Streams::*stream, PipeStream::wait_type what, void (Child::*then)()) {
    ((*streams_).*stream).async_wait(what, [weak = weak_from_this(), then](error_code error) {
        const auto self = weak.lock();
        if (self && self->streams_ && error != asio::error::operation_aborted) ((*self).*then)();
    });
}
void Child::end() {
    if (!streams_) return;
    residents_of(executor_).remove(*this);
    release();
    if (!output_ended_) lines_.drop();
    output_ended_ = true;
    output.ring();
    fail_pieces();
    if (!exited.is_open()) exited.open();
    if (!over.is_open()) over.open();
}
void Child::context_goes() { release(); }  // coroutines of this context that wait for it end, too
void Child::release() {
    kill_and_reap();
    streams_.reset();
}
void Child::kill_and_reap() {
    if (reaped_) return;
    signal_group(SIGKILL);
    reaped_ = true;
    const auto status = reap(Descriptor(streams_->handle.release()));
    if (!status_.known) status_ = status;
}
void Child::signal_group(int signal) {
    if (!reaped_) ::kill(-id_, signal);
}

void Child::on_exit() {
    status_ = look_at_exit(streams_->handle.native_handle());
    if (!status_.known) reaped_ = true;  // reaped by other code: the number may be reused
    if (!errors_ended_) read_errors(last_errors_read);
    exited.open();
    look_whether_over();
    tell_error_lines();
}
void Child::look_whether_over() {
    if (!exited.is_open() || !output_ended_ || !errors_ended_ || over.is_open()) return;
    kill_and_reap();
    over.open();
}

void Child::on_output() {
    output_waits_ = false;
    const bool goes_on = read_some(streams_->output.native_handle(), bytes_of_a_turn, false,
                                   [&](std::string_view bytes) {
                                       lines_.feed(bytes);
                                       if (dropping_ && lines_.waiting() > options.waiting_output) lines_.drop();
                                   });
    if (!goes_on) {
        lines_.finish();
        output_ended_ = true;
        error_code ignored;
        streams_->output.close(ignored);
    }
    look_at_output();
    look_whether_over();
    if (output_ended_ || !lines_.empty()) output.ring_here();
}
void Child::look_at_output() {
    if (!streams_ || output_ended_ || output_waits_) return;
    if (!dropping_ && lines_.waiting() >= options.waiting_output) return;
    output_waits_ = true;
    wait(&Streams::output, PipeStream::wait_read, &Child::on_output);
}
std::optional<SplitLine> Child::take_line() {
    auto line = lines_.take();
    look_at_output();
    return line;
}

void Child::on_errors() {
    if (errors_ended_) return;
    read_errors(bytes_of_a_turn);
    if (!errors_ended_) wait(&Streams::errors, PipeStream::wait_read, &Child::on_errors);
    look_whether_over();
    tell_error_lines();
}
void Child::read_errors(std::size_t most) {
    const auto keep = [this](std::string_view bytes) { keep_errors(bytes); };
    errors_ended_ = !read_some(streams_->errors.native_handle(), most, true, keep);
    if (errors_ended_) error_lines_.finish();
}
void Child::keep_errors(std::string_view bytes) {
    if (bytes.size() > options.kept_errors) kept_.clear();
    kept_ += bytes.substr(bytes.size() - std::min(bytes.size(), options.kept_errors));
    if (kept_.size() > options.kept_errors) kept_.erase(0, kept_.size() - options.kept_errors);
    if (options.on_error_line) error_lines_.feed(bytes);
}
/// Called at the end of a turn, because a callback may end the child.
void Child::tell_error_lines() {
    while (const auto line = error_lines_.take()) {
        try {
            if (line->left_out == 0) options.on_error_line(line->text);
            else options.on_error_line("(a line of " + std::to_string(line->left_out) + " bytes)");
        } catch (...) {}  // the child must be drained nevertheless
    }
}

std::shared_ptr<InputPiece> Child::put(std::string text) {
    if (closing_input_ || !streams_) throw_closed();
    auto piece = std::make_shared<InputPiece>();
    piece->text = std::move(text);
    pieces_.push_back(piece);
    if (!input_waits_) on_room();
    return piece;
}
bool Child::has_room_for(const std::string& text) const {
    if (closing_input_ || !streams_) return false;
    auto waiting = text.size();
    for (const auto& piece : pieces_) waiting += piece->text.size();
    return pieces_.empty() || waiting <= most_unattended;
}
void Child::withdraw(const std::shared_ptr<InputPiece>& piece) {
    if (piece->written == 0) std::erase(pieces_, piece);
}
void Child::on_room() {
    input_waits_ = false;
    while (!pieces_.empty()) {
        auto& piece = *pieces_.front();
        const auto rest = std::string_view(piece.text).substr(piece.written);
        const auto n = write_quietly(streams_->input.native_handle(), rest);
        if (n < 0 && errno == EAGAIN) {
            input_waits_ = true;
            return wait(&Streams::input, PipeStream::wait_write, &Child::on_room);
        }
        if (n < 0) {
            broken_ = true;
            return close_input(true);
        }
        piece.written += std::size_t(n);
        if (piece.written < piece.text.size()) continue;
        piece.state = InputPiece::done;
        if (piece.signal) piece.signal->ring();
        pieces_.pop_front();
    }
    if (closing_input_) close_input(true);
}
void Child::close_input(bool at_once) {
    closing_input_ = true;
    if (!at_once && !pieces_.empty()) return;
    error_code ignored;
    if (streams_) streams_->input.close(ignored);
    fail_pieces();
}
void Child::fail_pieces() {
    for (const auto& piece : std::exchange(pieces_, {})) {
        piece->state = InputPiece::failed;
        if (piece->signal) piece->signal->ring();
    }
}
void Child::throw_closed() const {
    const auto why = status_.known ? status_.sentence()
                     : broken_     ? "has closed its standard input"
                                   : "has no input any more, because it was closed here";
    throw Error(Code::step_failed, "nothing can be written to the program \"" + options.command + "\": it " + why);
}
}
