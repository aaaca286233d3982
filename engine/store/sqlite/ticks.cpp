// The ticks of a run, each of which names the row of the one before, and the run's history.
#include "engine/store/damaged.hpp"
#include "engine/store/sqlite/file.hpp"
#include "engine/store/sqlite/tables.hpp"
#include <algorithm>
#include <utility>

namespace weft::storage {
void SqliteTables::add_ticks(Row& row, const std::vector<StoredTick>& ticks, std::size_t from) {
    const auto now = now_();
    for (; from < ticks.size(); ++from) {
        db_.run("insert into ticks (number, run, seq, before, at, body, sum) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                last_ + 1, row.id, ticks[from].seq, row.last_tick, now, ticks[from].body, ticks[from].sum);
        row.last_tick = ++last_;
    }
}
// Reads backwards from the last tick, at most to the first one.
std::vector<StoredTick> SqliteTables::ticks(const Row& row, std::uint64_t from) {
    std::vector<StoredTick> found;
    auto seq = row.next_seq;
    auto number = row.last_tick;
    try {
        while (seq > from) {
            --seq;
            auto query = db_.query("select run, seq, before, body, sum from ticks where number = ?1", number);
            if (!query.step() || query.text(0) != row.id || std::uint64_t(query.integer(1)) != seq)
                tick_is_missing(row.id, seq);
            number = query.maybe_integer(2);
            found.push_back({seq, query.text(3), std::uint64_t(query.integer(4))});
            if (!number && is_first(found.back())) break;
        }
    } catch (const SqliteError& e) {
        if (!e.is_damage()) throw;
        throw DamagedError(row.id, sqlite_sentence(file_, e, row.id) + ", tick " + std::to_string(seq));
    }
    std::reverse(found.begin(), found.end());
    return found;
}
History SqliteTables::load(const std::string& run, std::uint64_t from) {
    auto row = find(run);
    if (!row) no_such_run(run);
    History history{.run = *row, .snapshot = {}, .ticks = {}, .mail = {}};
    if (auto query = db_.query("select upto, body, sum from snapshots where run = ?1", run); query.step()) {
        history.snapshot = {std::uint64_t(query.integer(0)), query.text(1), std::uint64_t(query.integer(2))};
        drop_if_damaged(history.snapshot);
    }
    from = std::min(from, history.snapshot ? history.snapshot->upto : 0);
    auto found = ticks(*row, from ? from - 1 : 0);  // with the previous tick, whose sum the chain continues
    std::uint64_t before = 0;
    if (from && !found.empty() && found.front().seq == from - 1) {
        before = found.front().sum;
        found.erase(found.begin());
    }
    check_ticks(run, found, from, history.run.next_seq, before);
    history.ticks = std::move(found);
    history.mail = mail_of(run);
    return history;
}
// If the chain of ticks is broken, a slow search finds the rest.
std::uint64_t SqliteTables::remove_ticks(const Row& row) {
    std::uint64_t first = 0;
    auto number = row.last_tick;
    bool is_broken = row.is_damaged || (!number && row.next_seq > 0);
    while (number && !is_broken) {
        auto query = db_.query("delete from ticks where number = ?1 and run = ?2 returning before, seq", number,
                               row.id);
        is_broken = !query.step();
        if (is_broken) break;
        number = query.maybe_integer(0);
        first = std::uint64_t(query.integer(1));
    }
    if (!is_broken) return first;
    db_.run("delete from ticks where run = ?1", row.id);
    return 0;
}
}
