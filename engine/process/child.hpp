// The state of a child process on its loop: four descriptors with their waits, and the outcome. It is a resident of its
// context: its descriptors are closed before the context ends, even if a Process still exists. Internal to
// engine/process.
#pragma once
#include "engine/core/wait/spawned_coroutines.hpp"
#include "engine/process/launch.hpp"
#include "engine/signal.hpp"
#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <memory>
#include <optional>

namespace weft::process {
/// Opens once; any number of coroutines may wait for it.
class Latch {
public:
    bool is_open() const { return open_; }
    void open();
    Signal signal_of_next();  // rings when the gate opens

private:
    bool open_ = false;
    std::vector<Signal> waiting_;
};
struct InputPiece {  // a part of standard input
    std::string text;
    std::size_t written = 0;
    enum { waiting, done, failed } state = waiting;
    std::optional<Signal> signal;  // wakes the waiting coroutine; usually the piece is written immediately
};

class Child final : public std::enable_shared_from_this<Child>, core::SpawnedCoroutine {
public:
    Child(const Runtime&, Options);
    ~Child();
    void begin();
    /// Kills the group, reaps the process and closes all descriptors; no callback comes afterwards.
    void end();

    std::shared_ptr<InputPiece> put(std::string text);
    bool has_room_for(const std::string& text) const;   // for send(), which does not wait
    void withdraw(const std::shared_ptr<InputPiece>&);  // unless its writing has begun
    void close_input(bool at_once);
    std::optional<SplitLine> take_line();
    bool output_has_ended() const { return output_ended_; }
    void throw_output_away() { dropping_ = true, look_at_output(); }
    void signal_group(int signal);
    [[noreturn]] void throw_closed() const;

    const Options options;
    Latch exited;   // the process has ended
    Latch over;     // the process has ended, and both pipes are read to their ends
    Signal output;  // rings for a line or the end
    int id() const { return id_; }
    const ExitStatus& status() const { return status_; }
    const std::string& last_errors() const { return kept_; }

private:
    using PipeStream = asio::posix::stream_descriptor;
    struct Streams {
        explicit Streams(const asio::any_io_executor& e) : handle(e), input(e), output(e), errors(e) {}
        PipeStream handle, input, output, errors;
    };
    void context_goes() override;
    void wait(PipeStream Streams::*, PipeStream::wait_type, void (Child::*then)());
    void on_exit();
    void on_output();
    void on_errors();
    void read_errors(std::size_t most);
    void keep_errors(std::string_view);
    void tell_error_lines();
    void on_room();
    void look_at_output();
    void look_whether_over();
    void fail_pieces();
    void kill_and_reap();
    void release();

    const asio::any_io_executor executor_;
    pid_t id_ = -1;
    std::optional<Streams> streams_;  // empty after the end
    std::deque<std::shared_ptr<InputPiece>> pieces_;
    LineSplitter lines_, error_lines_;
    std::string kept_;
    ExitStatus status_;
    bool input_waits_ = false, output_waits_ = false;
    bool closing_input_ = false, output_ended_ = false, errors_ended_ = false;
    bool broken_ = false, dropping_ = false, reaped_ = false;
};
}
