// Starts with a debounce key. The indexes of these runs keep their number small: most runs have no such key.
#include "engine/error.hpp"
#include "engine/store/sqlite/tables.hpp"
#include <utility>

namespace weft::storage {
std::optional<CreateReply> SqliteTables::known_start(const NewRun& run) {
    auto query = db_.query("select id, starts from runs where workflow = ?1 and debounce = ?2 order by number desc "
                           "limit ?3",
                           run.plan.workflow, run.debounce, most_debounced_runs);
    while (query.step())
        if (auto id = query.text(0); id == run.id || has_start(query.text(1), run.id))
            return CreateReply{id, id == run.id};
    return {};
}
CreateReply SqliteTables::add_debounced(const NewRun& run) {
    if (!flow_.has_key_texts())
        throw Error(Code::usage,
                    "the store has tables of an older weft, which knows no debounce keys: let a newer weft "
                    "open it while no other process uses it");
    if (auto known = known_start(run)) return *std::move(known);
    if (find(run.id)) id_is_taken(run.id);
    std::string waiting;
    if (auto query = db_.query("select id from runs where workflow = ?1 and debounce = ?2 and status = 'waiting' and "
                               "epoch = 0",
                               run.plan.workflow, run.debounce);
        query.step())
        waiting = query.text(0);
    if (!waiting.empty()) {
        replace(*find(waiting), run);
        return {waiting, false};
    }
    auto reply = add(run);
    const auto first = first_debounce(run, *find(run.id));
    db_.run("update runs set debounce = ?2, last_start = ?3, starts = ?4 where id = ?1", run.id, first.key,
            first.last_start, first.starts);
    return reply;
}
void SqliteTables::replace(Row row, const NewRun& run) {
    DebounceState debounce;
    {
        auto query = db_.query("select debounce, last_start, starts from runs where id = ?1", row.id);
        if (query.step()) debounce = {query.text(0), query.integer(1), query.text(2)};
    }
    const auto now = now_();
    replace_start(row, debounce, run, now);
    const auto key_texts = key_texts_of(run);
    keep(run.plan);
    db_.run("delete from ticks where number = ?1", row.last_tick);
    row.last_tick.reset();
    add_ticks(row, run.ticks, 0);  // under a new number: SqliteFile::mark() notices if the change is lost
    db_.run("update runs set queue = ?2, priority = ?3, options = ?4, starts = ?5, key_texts = ?6, flow_key = null "
            "where id = ?1",
            row.id, row.queue, row.priority, row.options, debounce.starts, key_texts);
    change(row);
    flow_.add_key(row.id, row.queue, key_texts);
}
}
