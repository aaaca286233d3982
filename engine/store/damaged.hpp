// What is damaged in a store is named, and keeps nobody from the rest.
//
//     for (auto& row : rows) if (is_damaged(row)) use(row.id);
//     try { load(store, id); } catch (const DamagedError& e) { use(e.run()); }
//
// The rule of all stores: a list that was asked for everything has of a damaged run a row with its id and its times,
// and nothing else; one that chooses by status, workflow or age has none, because nothing tells that it fits. Whoever
// names the run by its id gets the DamagedError. claim() without ids leaves it alone. prune() deletes it if its id is
// given, whatever its status is: nobody goes on with it.
#pragma once
#include "engine/error.hpp"
#include "engine/store.hpp"

namespace weft::storage {
/// Of a run that cannot be read, now or later. A store that is busy throws a plain Error{journal}.
class DamagedError : public Error {
public:
    DamagedError(std::string run, const std::string& sentence) : Error(Code::journal, sentence), run_(std::move(run)) {}
    const std::string& run() const noexcept { return run_; }  // empty: of a declaration, which several runs may have

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
