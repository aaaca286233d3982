// Only one run at a time is in memory. The store checks the sums of ticks when it loads them.
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/replay.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/damaged.hpp"
#include "workflows/catalog/stored/run_file.hpp"
#include "workflows/catalog/stored/run_lines.hpp"
#include <algorithm>
#include <set>

namespace weft::catalog {
using namespace storage;
namespace {
using nlohmann::json;

/// Throws an error that concerns only this run, and that would repeat.
[[noreturn]] void refuse(const std::string& run, const Error& why) { throw storage::DamagedError(run, why.what()); }

StoredPlan plan_of(Store& store, const std::string& run, const std::string& hash) try {
    return storage::answer_of<StoredPlan>([&](auto then) { store.plan(hash, std::move(then)); });
} catch (const Error& error) {
    if (error.code() != Code::usage) throw;
    refuse(run, error);  // the store lacks the run or its plan
}
/// The hashes of the declarations in the run's own ticks, in their order: a child's declarations have no stored plan.
std::vector<std::string> hashes_of(const History& history) try {
    auto hashes = journal::fold_course(journal::read_entries(history)).hashes;
    std::erase(hashes, history.run.hash);
    hashes.push_back(history.run.hash);
    return hashes;
} catch (const Error& error) { refuse(history.run.id, error); }
lines::ExportedRun first_line(Store& store, const History& history) {
    auto& row = history.run;
    lines::ExportedRun line;
    line.run = lines::common_fields<lines::ExportedRow>(row);
    if (waits_to_begin(row)) line.run.not_before = row.wake_at;
    for (auto& hash : hashes_of(history)) {
        const auto plan = plan_of(store, row.id, hash);
        line.plans.push_back({plan.hash, plan.workflow, plan.plan});
    }
    line.ticks = history.ticks.size();
    line.mail = history.mail.size();
    line.snapshot = history.snapshot.has_value();
    return line;
}
}

void check_readable(Store& store, const std::string& id) { first_line(store, history_of(store, id)); }
std::vector<std::string> export_runs(Store& store, const std::vector<std::string>& ids, const OnLine& put) {
    std::vector<std::string> left_out;
    std::set<std::string> seen;
    lines::Sums sums;
    const auto write = [&](const json& object) { put(sums.with_sum(object.dump(-1, ' ', true))); };
    write({{"weft_export", lines::version}});
    for (auto& id : ids) {
        if (!seen.insert(id).second) continue;
        History history;
        json first;
        try {
            history = history_of(store, id);
            first = to_json(first_line(store, history));
            if (first["run"]["not_before"].is_null()) first["run"].erase("not_before");
        } catch (const storage::DamagedError& error) {
            left_out.push_back(std::string(error.what()) + "; the export leaves run " + id + " out");
            continue;
        }
        write(first);
        for (auto& tick : history.ticks) write({{"tick", tick.seq}, {"body", tick.body}});
        for (auto& mail : history.mail) write({{"mail", mail.id}, {"body", mail.body}});
        if (auto& snapshot = history.snapshot) write({{"snapshot", snapshot->upto}, {"body", snapshot->body}});
    }
    write({{"end", seen.size() - left_out.size()}});
    return left_out;
}
}
