// Claims: the shared rules choose runs among the first of each key.
#include "engine/store/sqlite/tables.hpp"
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace weft::storage {
namespace {
constexpr FindStatements order_of_sqlite_claims{
    WEFT_SQLITE_FIND("where status = 'ready' and flow_key is null ", "order by priority desc, created_at, number")};
}
#define WEFT_READY_OF_KEY(INDEX, MORE)                                                                                 \
    WEFT_SQLITE_RUN INDEX " where status = 'ready' and queue = ?1 and flow_key = ?2 " MORE                             \
                          " order by priority desc, created_at, number"
// Unlimited queues give their first runs, and limited ones those of each key.
std::vector<SqliteTables::Row> SqliteTables::ready_rows(const ClaimRequest& claim, std::int64_t now,
                                                        const std::function<bool(const Row&)>& is_wanted) {
    auto rows = find_all({}, order_of_sqlite_claims, claim.most, is_wanted);
    if (flow_.limits().empty()) return rows;
    FlowStates states;
    std::vector<std::string> keys(rows.size());
    for (auto& [queue, own] : flow_.limits()) {
        if (!takes(claim.queues, queue)) continue;
        const auto& state = states[queue] = flow_.state_of(own, now);
        for (auto& key : state.room() == 0 ? std::vector<std::string>() : flow_.ready_keys(queue)) {
            auto query = db_.query(state.may_start() ? WEFT_READY_OF_KEY("", "")
                                                     : WEFT_READY_OF_KEY("indexed by runs_begun_by_key", "and epoch > "
                                                                                                         "0"),
                                   queue, key);
            for (auto room = std::min<std::uint64_t>(state.room_of(key), claim.most); room > 0 && query.step();) {
                auto row = read(query);
                if (!is_wanted(row)) continue;
                rows.push_back(std::move(row));
                keys.push_back(key);
                --room;
            }
        }
    }
#undef WEFT_READY_OF_KEY
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    const auto place = [&](auto at) { return std::tuple(~rows[at].priority, rows[at].created_at, rows[at].number); };
    std::ranges::sort(order, {}, place);
    std::vector<FlowCandidate> candidates;
    for (const auto at : order)
        candidates.push_back({rows[at].queue, keys[at], rows[at].priority, rows[at].epoch == 0});
    std::vector<Row> chosen;
    std::map<std::string, double> started;
    for (const auto at : choose_in_turn(candidates, states, claim.most)) {
        chosen.push_back(std::move(rows[order[at]]));
        if (const auto own = states.find(candidates[at].queue); own != states.end() && own->second.limits.starts)
            started[own->first] += candidates[at].is_start;
    }
    for (auto& [queue, runs] : started) flow_.take_tokens(states[queue].limits, runs, now);
    return chosen;
}
std::vector<RunRow> SqliteTables::claim(const ClaimRequest& claim, const Leases& leases) {
    if (leases.has_lost(claim.owner)) return {};
    const auto now = now_();
    std::vector<Row> rows;
    const auto is_wanted = [&](const Row& row) {
        return row.is_damaged ? !claim.ids.empty() : may_claim(row, claim, now);  // a named damaged run is an error
    };
    auto found = claim.ids.empty() ? ready_rows(claim, now, is_wanted)
                                   : find_all(claim.ids, order_of_sqlite_claims, claim.most, is_wanted);
    for (auto& row : found) rows.push_back(sound(std::move(row)));
    for (auto& row : rows) {
        make_running(row, claim.owner, now_());
        change(row);
    }
    return {rows.begin(), rows.end()};
}
}
