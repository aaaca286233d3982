// A model server in the test's process, so that its counts of requests survive the workers. A request with the same
// content gets the same reply.
//
//     AskedServer server("react");
//     server.kill_at = 2;                                  // the worker, at the second request
//     ... server.url() ... server.asked() ... server.repeated()
#pragma once
#include "tests/support/rude_server.hpp"
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>

namespace crash {
class AskedServer {
public:
    explicit AskedServer(const std::string& workflow);
    std::string url() const { return server_->address(); }
    std::size_t asked() const;     // requests in all
    std::size_t repeated() const;  // requests with an earlier content
    /// The request, counted from 1, that kills its worker: before the reply, in the middle of it or after it.
    std::atomic<pid_t> worker = 0;
    std::size_t kill_at = 0;
    enum class Phase { before, within, after } phase = Phase::before;

private:
    void serve(weft::testing::Peer&);
    const std::string workflow_;
    mutable std::mutex mutex_;
    std::map<std::string, int> requests_;              // bodies
    std::optional<weft::testing::RudeServer> server_;  // the last member, because its threads use the others
};
}
