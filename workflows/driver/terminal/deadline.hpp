// Ends a process that does not end in time, because a store does not answer or a tool does not return.
//
//     ExitDeadline deadline(14s, "a tool does not return: the program ends without it");  // before all that may hang
//     deadline.begin();                                                      // when the process is asked to end
//
// The process ends with exit code 0, because it was asked to end. Its store keeps all committed data. A process that
// ends in time destroys the deadline, which then prints nothing.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace weft::driver {
/// For servers: requests have 5 s to end, runs 3 s, a worker's 3 s, sending of spans 1 s, programs of MCP the rest.
inline constexpr std::chrono::milliseconds time_to_exit = std::chrono::seconds(14);

class ExitDeadline {
public:
    ExitDeadline(std::chrono::milliseconds time, std::string last_words);
    void begin();  // callable from any thread; the first call counts

private:
    const std::chrono::milliseconds time_;
    const std::string last_words_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool has_begun_ = false;
    std::jthread thread_;  // begins with the object, because later the system may have no thread left
};
}
