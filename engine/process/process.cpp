// Waits share ownership of the child, so a Process may be destroyed during a wait, which ends it.
#include "engine/process/process.hpp"
#include "engine/error.hpp"
#include "engine/process/child.hpp"
#include "engine/timeout.hpp"
#include <csignal>

namespace weft::process {
namespace {
using ChildPointer = std::shared_ptr<Child>;
constexpr Duration kill_grace = std::chrono::seconds(5);  // a process in a disk driver cannot be killed at once

awaitable<void> pass(ChildPointer child, Latch Child::*gate) {
    if (((*child).*gate).is_open()) co_return;
    const auto signal = ((*child).*gate).signal_of_next();
    co_await signal.wait();
}
awaitable<bool> passes_within(ChildPointer child, Latch Child::*gate, Duration most) {
    auto passing = pass(child, gate);
    try {
        co_await with_timeout(most, std::move(passing));
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
        co_return false;
    }
    co_return true;
}
awaitable<void> write_piece(ChildPointer child, std::string text) {
    struct Guard {
        Child& child;
        std::shared_ptr<InputPiece> piece;
        ~Guard() { child.withdraw(piece); }
    } guard{*child, child->put(std::move(text))};
    if (guard.piece->state == InputPiece::waiting) guard.piece->signal.emplace();
    while (guard.piece->state == InputPiece::waiting) co_await guard.piece->signal->wait();
    if (guard.piece->state == InputPiece::failed) child->throw_closed();
}
awaitable<std::optional<SplitLine>> next_line(ChildPointer child) {
    for (;;) {
        auto line = child->take_line();
        if (line || child->output_has_ended()) co_return line;
        co_await child->output.wait();
    }
}
awaitable<ExitStatus> wait_for_exit(ChildPointer child) {
    co_await pass(child, &Child::exited);
    co_return child->status();
}
awaitable<ExitStatus> stop_child(ChildPointer child) {
    child->close_input(true);
    child->throw_output_away();
    auto over = co_await passes_within(child, &Child::over, child->options.end_of_input_grace);
    if (!over) {
        child->signal_group(SIGTERM);
        over = co_await passes_within(child, &Child::over, child->options.terminate_grace);
    }
    if (!over) {
        child->signal_group(SIGKILL);
        co_await passes_within(child, &Child::exited, kill_grace);
    }
    child->end();
    co_return child->status();
}
}

Process::Process(const Runtime& runtime, Options options)
    : child_(std::make_shared<Child>(runtime, std::move(options))) {
    child_->begin();
}
Process& Process::operator=(Process&& other) noexcept {
    if (this != &other) {
        if (child_) child_->end();
        child_ = std::move(other.child_);
    }
    return *this;
}
Process::~Process() {
    if (child_) child_->end();
}
awaitable<void> Process::write(std::string text) { return write_piece(child_, std::move(text)); }
void Process::send(std::string text) {
    if (child_->has_room_for(text)) child_->put(std::move(text));
}
void Process::close_input() { child_->close_input(false); }
awaitable<std::optional<SplitLine>> Process::read_line() { return next_line(child_); }
awaitable<ExitStatus> Process::ended() { return wait_for_exit(child_); }
awaitable<ExitStatus> Process::stop() { return stop_child(child_); }
int Process::id() const { return child_->id(); }
ExitStatus Process::status() const { return child_->status(); }
std::string Process::last_errors() const { return child_->last_errors(); }
}
