// Looks at the clock, the run's cancellation and the memory while a statement of a connection runs. For the sources of
// Connection only.
#pragma once
#include "tools/sql/connection.hpp"
#include <chrono>
#include <cstdint>

namespace weft::tools {
class Connection::Watch {
public:
    Watch(Connection&, std::stop_token);
    Watch(const Watch&) = delete;
    ~Watch();
    bool late() const { return std::chrono::steady_clock::now() > deadline_; }
    bool greedy() const;
    bool stopped() const { return stop_.stop_requested(); }
    /// The sentence for a statement that was interrupted.
    [[noreturn]] void report() const;

private:
    static int look(void* self);
    Connection& connection_;
    std::stop_token stop_;
    std::chrono::steady_clock::time_point deadline_;
    std::int64_t memory_;
    bool greedy_ = false;
};
}
