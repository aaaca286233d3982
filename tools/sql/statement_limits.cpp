// SQLite calls the watch each 50 instructions of its machine, at each allocation, and when a statement names an object.
// A long call within one instruction that allocates nothing is not interrupted.
#include "tools/sql/statement_limits.hpp"
#include "engine/asio.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <sqlite3.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace weft::tools {
namespace {
constexpr std::int64_t worth_giving_back = 8 << 20;
constexpr unsigned allocations_between_looks = 64;  // between checks of the clock
}

SqlConnection::StatementLimits::StatementLimits(SqlConnection& c, std::stop_token stop, std::chrono::milliseconds time)
    : connection_(c), stop_(std::move(stop)), time_(time), deadline_(std::chrono::steady_clock::now() + time) {
    sqlite3_progress_handler(
        c.db_.get(), 50, [](void* self) -> int { return static_cast<StatementLimits*>(self)->look(0); }, this);
    c.guard_.interrupts = [this] { return look(0); };
}
SqlConnection::StatementLimits::~StatementLimits() {
    let_go();
#ifdef __GLIBC__
    if (peak_ > worth_giving_back) malloc_trim(0);  // otherwise the thread keeps it for its next query
#endif
}
void SqlConnection::StatementLimits::let_go() {
    let_go_ = true;
    sqlite3_progress_handler(connection_.db_.get(), 0, nullptr, nullptr);
    connection_.guard_.interrupts = nullptr;
}
bool SqlConnection::StatementLimits::refuses(std::int64_t more) {
    if (let_go_) return false;
    const auto bytes = used() + more;
    peak_ = std::max(peak_, bytes);
    if (bytes <= std::int64_t(connection_.limits_.memory) && ++allocations_ % allocations_between_looks != 0)
        return interrupts_;
    return look(more);
}
bool SqlConnection::StatementLimits::look(std::int64_t more) {
    if (used() + more > std::int64_t(connection_.limits_.memory)) greedy_ = true;
    return interrupts_ = interrupts_ || greedy_ || stopped() || late();
}
bool SqlConnection::StatementLimits::goes_on() {
    if (stopped() || late()) return false;
    greedy_ = interrupts_ = false;
    return true;
}
void SqlConnection::StatementLimits::report() const {
    if (stopped()) throw boost::system::system_error(asio::error::operation_aborted);
    if (greedy_) throw ToolError("the query needed too much memory and was stopped: aggregate, or select less");
    auto seconds = double(time_.count()) / 1000;
    auto text = std::to_string(seconds);
    text.erase(std::max(text.find_last_not_of('0') + 1, text.find('.')));
    if (text.ends_with('.')) text.pop_back();
    throw ToolError("the query took longer than " + text + " s and was stopped: make it simpler");
}
}
