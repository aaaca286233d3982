// Checks the clock, the run's cancellation and the memory while a connection compiles or runs a statement. Only for the
// sources of Connection.
#pragma once
#include "tools/sql/connection.hpp"
#include "tools/sql/memory.hpp"
#include <chrono>
#include <cstdint>

namespace weft::tools {
class SqlConnection::StatementLimits final : SqlMemory {
public:
    StatementLimits(SqlConnection&, std::stop_token, std::chrono::milliseconds);
    StatementLimits(SqlConnection& c, std::stop_token stop) : StatementLimits(c, std::move(stop), c.limits_.deadline) {}
    ~StatementLimits() override;
    /// Whether a statement was interrupted; all later ones are, too.
    bool interrupts() const { return interrupts_; }
    /// Continues after the large statement was freed; returns whether time is left for a smaller one.
    bool goes_on();
    /// Ends all limits: nothing interrupts the next statements.
    void let_go();
    /// Throws the error for an interrupted statement.
    [[noreturn]] void report() const;

private:
    bool refuses(std::int64_t more) override;
    bool look(std::int64_t more);
    bool late() const { return std::chrono::steady_clock::now() > deadline_; }
    bool stopped() const { return stop_.stop_requested(); }

    SqlConnection& connection_;
    const std::stop_token stop_;
    const std::chrono::milliseconds time_;
    const std::chrono::steady_clock::time_point deadline_;
    std::int64_t peak_ = 0;
    unsigned allocations_ = 0;
    bool greedy_ = false, interrupts_ = false, let_go_ = false;
};
}
