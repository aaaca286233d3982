// Says on a terminal that something is still at work, while nothing else is said.
//
//     SignOfLife life;
//     life.wait();        // after 2 s a line that counts: "... at work, 5 s"
//     life.hide();        // it is gone; before anything else is written
//
// Nothing is ever shown if standard error is no terminal. One thread uses it, besides the one that counts.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

namespace weft::driver {
class SignOfLife {
public:
    SignOfLife();
    ~SignOfLife();
    SignOfLife(const SignOfLife&) = delete;
    void wait();
    void hide();

private:
    void count(std::stop_token);
    const bool is_seen_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool waits_ = false, shown_ = false;
    std::jthread thread_;  // begun with the first wait
};
}
