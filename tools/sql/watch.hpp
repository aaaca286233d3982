// Looks at the clock, the run's cancellation and the memory while a statement of a connection runs. For the sources of
// Connection only.
#pragma once
#include "engine/asio.hpp"
#include "tools/sql/connection.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <sqlite3.h>

namespace weft::tools {
class Connection::Watch {
public:
    Watch(Connection& c, std::stop_token stop)
        : connection_(c),
          stop_(std::move(stop)),
          deadline_(std::chrono::steady_clock::now() + c.limits_.deadline),
          memory_(sqlite3_memory_used() + sqlite3_int64(c.limits_.memory)) {
        sqlite3_progress_handler(c.db_.get(), 50, &Watch::look, this);
    }
    Watch(const Watch&) = delete;
    ~Watch() { sqlite3_progress_handler(connection_.db_.get(), 0, nullptr, nullptr); }
    bool late() const { return std::chrono::steady_clock::now() > deadline_; }
    bool greedy() const { return sqlite3_memory_used() > memory_; }
    bool stopped() const { return stop_.stop_requested(); }
    /// The sentence for a statement that was interrupted.
    [[noreturn]] void report() const {
        if (stopped()) throw boost::system::system_error(asio::error::operation_aborted);
        if (greedy_) throw ToolError("the query needed too much memory and was stopped: aggregate, or select less");
        auto seconds = double(connection_.limits_.deadline.count()) / 1000;
        auto text = std::to_string(seconds);
        text.erase(std::max(text.find_last_not_of('0') + 1, text.find('.')));
        if (text.ends_with('.')) text.pop_back();
        throw ToolError("the query took longer than " + text + " s and was stopped: make it simpler");
    }

private:
    static int look(void* self) {
        auto& watch = *static_cast<Watch*>(self);
        if (watch.greedy()) watch.greedy_ = true;
        return watch.greedy_ || watch.stopped() || watch.late();
    }
    Connection& connection_;
    std::stop_token stop_;
    std::chrono::steady_clock::time_point deadline_;
    sqlite3_int64 memory_;
    bool greedy_ = false;
};
}
