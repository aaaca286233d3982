// SQLite asks every 50 instructions of its machine. One long call within an instruction is not interrupted.
#include "tools/sql/watch.hpp"
#include "engine/asio.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <sqlite3.h>

namespace weft::tools {
Connection::Watch::Watch(Connection& c, std::stop_token stop)
    : connection_(c),
      stop_(std::move(stop)),
      deadline_(std::chrono::steady_clock::now() + c.limits_.deadline),
      memory_(sqlite3_memory_used() + std::int64_t(c.limits_.memory)) {
    sqlite3_progress_handler(c.db_.get(), 50, &Watch::look, this);
}
Connection::Watch::~Watch() { sqlite3_progress_handler(connection_.db_.get(), 0, nullptr, nullptr); }
bool Connection::Watch::greedy() const { return sqlite3_memory_used() > memory_; }
int Connection::Watch::look(void* self) {
    auto& watch = *static_cast<Watch*>(self);
    if (watch.greedy()) watch.greedy_ = true;
    return watch.greedy_ || watch.stopped() || watch.late();
}
void Connection::Watch::report() const {
    if (stopped()) throw boost::system::system_error(asio::error::operation_aborted);
    if (greedy_) throw ToolError("the query needed too much memory and was stopped: aggregate, or select less");
    auto seconds = double(connection_.limits_.deadline.count()) / 1000;
    auto text = std::to_string(seconds);
    text.erase(std::max(text.find_last_not_of('0') + 1, text.find('.')));
    if (text.ends_with('.')) text.pop_back();
    throw ToolError("the query took longer than " + text + " s and was stopped: make it simpler");
}
}
