// Damaged parts of a store are reported by name, and leave the other runs usable.
//
//     for (auto& row : rows) if (is_damaged(row)) use(row.id);
//     try { load(store, id); } catch (const DamagedError& e) { use(e.run()); }
//
// The rule of all stores: a list without conditions contains a row for each damaged run, with its id and its times
// only; a list by status, workflow or age omits damaged runs, because their values are unknown. A call that names the
// run by its id fails with DamagedError. claim() without ids skips damaged runs. prune() deletes a damaged run if its
// id is given, whatever its status is, because no engine continues it.
#pragma once
#include "engine/error.hpp"
#include "engine/store.hpp"

namespace weft::storage {
/// A run cannot be read, now or later. A store that is busy throws a plain Error{journal}.
class DamagedError : public Error {
public:
    DamagedError(std::string run, const std::string& sentence) : Error(Code::journal, sentence), run_(std::move(run)) {}
    const std::string& run() const noexcept { return run_; }  // empty: a declaration, which runs may share

private:
    std::string run_;
};
inline bool is_damaged(const storage::RunRow& row) { return row.workflow.empty(); }
inline storage::RunRow damaged_row(const storage::RunRow& row) {
    storage::RunRow left;
    left.id = row.id;
    left.created_at = row.created_at;
    left.updated_at = row.updated_at;
    return left;
}
inline bool takes_all(const storage::Filter& filter) {
    return filter.ids.empty() && filter.workflows.empty() && filter.statuses.empty() && !filter.updated_before;
}
}
