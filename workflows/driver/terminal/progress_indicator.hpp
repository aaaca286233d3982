// Shows on a terminal that the program is at work while it prints nothing else.
//
//     ProgressIndicator life;
//     life.wait();        // after 2 s a line that counts: "... at work, 5 s"
//     life.tell(progress);  // the run's; from then on: "... at work, 6 s, 3 of 8 branches"
//     life.hide();        // erases the line; call it before other output
//
// Shows nothing if standard error is not a terminal. Use it on one thread; the counter has its own.
#pragma once
#include "engine/terminal.hpp"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace weft::driver {
class ProgressIndicator {
public:
    ProgressIndicator();
    ~ProgressIndicator();
    ProgressIndicator(const ProgressIndicator&) = delete;
    static bool can_be_seen();
    void wait();
    void hide();
    /// Adds the branches to the next count while some of them have not ended.
    void tell(const RunProgressEvent&);
    static std::string line(std::chrono::seconds waited, const RunProgressEvent&);

private:
    void count(std::stop_token);
    const bool is_seen_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool waits_ = false, shown_ = false;
    RunProgressEvent progress_;
    std::jthread thread_;  // started by the first wait()
};
}
