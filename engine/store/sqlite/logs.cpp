// Entries are found backwards from a milestone, since each entry has the number of the previous row: 32 at a time, so
// that no long log is in memory as a whole. Then the bodies are read, as many as the caller wants.
#include "engine/store/sqlite/logs.hpp"
#include "engine/store/damaged.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <utility>

namespace weft::storage {
namespace {
constexpr std::uint64_t milestone = 32;  // as in the condition of the index
constexpr std::size_t most_logs_in_memory = 1000;

std::int64_t sum_of_entry(const std::string& run, std::uint64_t entry, std::string_view body) {
    return std::int64_t(chained_sum(chained_sum(0, 0, run), entry, body));
}
std::int64_t sum_of_log(const std::string& run, std::uint64_t next, std::int64_t last) {
    return std::int64_t(chained_sum(chained_sum(0, next, run), std::uint64_t(last), {}));
}
[[noreturn]] void refuse_entry(const std::string& run, std::uint64_t entry, const std::string& what) {
    throw DamagedError(run, "run " + repair_utf8(run) + ": entry " + std::to_string(entry) + " of its log " + what +
                                " in the store");
}
}
void SqliteLogs::forget() {
    logs_.clear();
    has_tables_ = db_.number("pragma user_version") >= 2 ||  // check both, as one of them may be damaged
                  db_.number("select count(*) from sqlite_schema where name = 'logs'") > 0;
}
std::int64_t SqliteLogs::last_number() { return has_tables_ ? db_.number("select max(number) from log_entries") : 0; }
SqliteLogs::LogTail SqliteLogs::find(const std::string& run) {
    if (const auto known = logs_.find(run); known != logs_.end()) return known->second;
    if (!has_tables_) return {};
    auto query = db_.query("select next, last, sum from logs where run = ?1", run);
    if (!query.step()) return {};
    const auto next = std::uint64_t(query.integer(0));
    const auto last = query.integer(1);
    return {.next = next, .last = last, .is_damaged = sum_of_log(run, next, last) != query.integer(2)};
}
SqliteLogs::LogTail SqliteLogs::sound(const std::string& run, LogTail log) {
    if (log.is_damaged)
        throw DamagedError(run,
                           "the log of run " + repair_utf8(run) + " is damaged in the store: its sum does not fit");
    return log;
}
void SqliteLogs::keep(const std::string& run, const LogTail& log, bool is_new) {
    db_.run(is_new ? "insert into logs (run, next, last, sum) values (?1, ?2, ?3, ?4)"
                   : "update logs set next = ?2, last = ?3, sum = ?4 where run = ?1",
            run, log.next, log.last, sum_of_log(run, log.next, *log.last));
    if (logs_.size() >= most_logs_in_memory) logs_.clear();
    logs_.insert_or_assign(run, log);
}
LogReply SqliteLogs::write(const RunRow& row, const LogEntries& given, std::int64_t& last) {
    auto log = sound(row.id, find(row.id));
    const auto verdict = judge_log(row, log.next, given);
    if (verdict.is_fenced || verdict.known == given.entries.size()) return {verdict.is_fenced, log.next};
    const bool is_new = log.next == 0;
    for (auto i = verdict.known; i < given.entries.size(); ++i) {
        auto& body = given.entries[i].body;
        db_.run("insert into log_entries (number, run, entry, before, body, sum) values (?1, ?2, ?3, ?4, ?5, ?6)",
                last + 1, row.id, log.next, log.last, body, sum_of_entry(row.id, log.next, body));
        log.last = ++last;
        ++log.next;
    }
    keep(row.id, log, is_new);
    return {false, log.next};
}
// The row number of a milestone or of the last entry. The result may be wrong if the index or the row is damaged; the
// reader of the row detects this.
std::int64_t SqliteLogs::place(const std::string& run, const LogTail& log, std::uint64_t entry) {
    if (entry + 1 == log.next) return *log.last;
    auto query = db_.query("select number from log_entries where run = ?1 and entry = ?2 and entry % 32 = 0", run,
                           entry);
    if (!query.step()) refuse_entry(run, entry, "is missing");
    return query.integer(0);
}
/// The row numbers of entries `from` to `last`. It reads no bodies, since bodies may be long.
std::vector<std::int64_t> SqliteLogs::places(const std::string& run, const LogTail& log, std::uint64_t from,
                                             std::uint64_t last) {
    std::vector<std::int64_t> all(last + 1 - from);
    std::optional<std::int64_t> number = place(run, log, last);
    for (auto entry = last + 1; entry-- > from;) {
        auto query = db_.query("select run, entry, before from log_entries where number = ?1", number);
        if (!query.step() || query.text(0) != run || std::uint64_t(query.integer(1)) != entry)
            refuse_entry(run, entry, "is missing");
        all[entry - from] = *number;
        number = query.maybe_integer(2);
    }
    return all;
}
LogPart SqliteLogs::read(const std::string& run, std::uint64_t from, std::size_t most, std::size_t bytes) {
    const auto log = sound(run, find(run));
    LogPart part{.entries = {}, .next = log.next};
    LogRoom room(most, bytes);
    while (part.entries.size() < most && from < log.next) {
        const auto last = std::min(log.next - 1, (from + milestone - 1) / milestone * milestone);
        for (const auto number : places(run, log, from, last)) {
            auto query = db_.query("select body, sum from log_entries where number = ?1", number);
            if (!query.step()) refuse_entry(run, from, "is missing");
            LogEntry entry{.number = from, .body = query.text(0)};
            if (!room.takes(entry.body)) return part;
            if (sum_of_entry(run, from, entry.body) != query.integer(1)) refuse_entry(run, from, "is damaged");
            part.entries.push_back(std::move(entry));
            ++from;
        }
    }
    return part;
}
// If the chain of entries is broken, a slow search finds the rest.
void SqliteLogs::remove(const std::string& run) {
    if (!has_tables_) return;
    const auto log = find(run);
    std::uint64_t gone = 0;
    for (auto number = log.last; number; ++gone) {
        auto query = db_.query("delete from log_entries where number = ?1 and run = ?2 returning before", number, run);
        if (!query.step()) break;
        number = query.maybe_integer(0);
    }
    if (log.is_damaged || gone != log.next) db_.run("delete from log_entries where run = ?1", run);
    db_.run("delete from logs where run = ?1", run);
    logs_.erase(run);
}
}
