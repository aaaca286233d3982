// Ends a process that does not leave in time, because a store does not answer or a tool does not come back.
//
//     ExitDeadline deadline(14s, "a tool does not come back: the program ends without it");  // before what may hang
//     deadline.begin();                                                      // when the process is asked to end
//
// The process ends with exit code 0, as it has been asked to end. What its store has committed stays there. A process
// that is through before destroys the deadline, and nothing is said.
#pragma once
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace weft::driver {
/// For servers: requests may go on for 5 s, runs for 3 s, spans are sent for 1 s, and programs of MCP get the rest.
inline constexpr std::chrono::milliseconds time_to_exit = std::chrono::seconds(14);

class ExitDeadline {
public:
    ExitDeadline(std::chrono::milliseconds time, std::string last_words);
    void begin();  // from any thread; the first call counts

private:
    const std::chrono::milliseconds time_;
    const std::string last_words_;
    std::once_flag begun_;
    std::jthread thread_;
};
}
