// The limit of real time is for tests that hang; all other times use the test's clock.
#include "engine/testing/recorder.hpp"
#include "engine/core/loop/run_extras.hpp"

namespace weft::testing {
namespace {
std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (auto& name : names) (text += text.empty() ? "" : ", ") += name;
    return text.empty() ? "nothing" : text;
}
}
std::vector<std::string> Recorder::names() const {
    std::vector<std::string> all;
    for (auto& event : events_) all.emplace_back(event.name());
    return all;
}
void Recorder::throw_not_one(std::string_view type, std::size_t n) const {
    throw Error(Code::usage, "the stream was expected to hold one " + std::string(type) + ", but holds " +
                                 std::to_string(n) + "; it holds: " + list(names()));
}

namespace detail {
TestLoop::TestLoop(const Setup& setup)
    : at_most_(setup.at_most),
      clock_(setup.clock ? *setup.clock : own_clock_),
      loop_(Runtime{io_.get_executor(), &clock_}, {.store = setup.store, .seed = setup.seed}) {
    if (core::loop_of_this_thread())
        throw Error(Code::usage, "testing::run() was called inside of a step, which it would block");
}
void TestLoop::drive(core::RunCore& run) {
    struct Over {
        bool& flag;
        ~Over() { flag = true; }
    } over_at_last{over};
    const auto end = real_clock().after(at_most_);
    do {
        io_.restart();
        io_.run_until(end);
        if (real_clock().now() >= end && !run.complete)
            throw Error(Code::timed_out, "the run has not ended within " + in_seconds(at_most_) +
                                             " of real time; at work: " + list(run.more().busy_steps()));
    } while (!run.complete && !listener_error && clock_.jump());
    if (listener_error) std::rethrow_exception(listener_error);
    if (!run.complete && !run.idle())
        throw Error(Code::deadlock,
                    "nothing is left to do, but the run has not ended; at work: " + list(run.more().busy_steps()));
}
}
}
