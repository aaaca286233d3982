// Says on a terminal that something is still at work, while nothing else is said.
//
//     SignOfLife life;
//     life.wait();        // after 2 s a line that counts: "... at work, 5 s"
//     life.tell(progress);  // of the run; from then on: "... at work, 6 s, 3 of 8 branches"
//     life.hide();        // it is gone; before anything else is written
//
// Nothing is ever shown if standard error is no terminal. One thread uses it, besides the one that counts.
#pragma once
#include "engine/terminal.hpp"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace weft::driver {
class SignOfLife {
public:
    SignOfLife();
    ~SignOfLife();
    SignOfLife(const SignOfLife&) = delete;
    static bool can_be_seen();
    void wait();
    void hide();
    /// Shown with the next count, as long as some of the branches go on.
    void tell(const RunProgressEvent&);
    static std::string line(std::chrono::seconds waited, const RunProgressEvent&);

private:
    void count(std::stop_token);
    const bool is_seen_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool waits_ = false, shown_ = false;
    RunProgressEvent progress_;
    std::jthread thread_;  // begun with the first wait
};
}
