// The lines of a file of runs (run_file.hpp): their sums, and the contents of a run's first line.
#pragma once
#include "engine/describe.hpp"
#include "engine/store.hpp"

namespace weft::catalog::lines {
inline constexpr int version = 1;
inline constexpr std::string_view begins = R"({"sum":")", goes_on = R"(",)";
inline constexpr std::size_t sum_digits = 16;

struct ExportedPlan {
    std::string hash, workflow, plan;
};
BOOST_DESCRIBE_STRUCT(ExportedPlan, (), (hash, workflow, plan))
struct ExportedRow {
    std::string id, queue, start_key, forked_from, options, outcome, waits_for;
    RunStatus status = RunStatus::ready;
    int priority = 0;
    std::int64_t created_at = 0, updated_at = 0;
    std::optional<std::int64_t> not_before = {};  // of a run that has not begun; else it is left out
    static constexpr std::string_view optional_fields[] = {"not_before"};
};
BOOST_DESCRIBE_STRUCT(ExportedRow, (),
                      (id, queue, start_key, forked_from, options, outcome, waits_for, status, priority, created_at,
                       updated_at, not_before))
/// A row with the fields that a stored and an exported run have in common; the others are empty.
template <class To> To common_fields(const auto& row) {
    return {.id = row.id,
            .queue = row.queue,
            .start_key = row.start_key,
            .forked_from = row.forked_from,
            .options = row.options,
            .outcome = row.outcome,
            .waits_for = row.waits_for,
            .status = row.status,
            .priority = row.priority,
            .created_at = row.created_at,
            .updated_at = row.updated_at};
}
/// The first line of a run, with the number of following lines of each kind.
struct ExportedRun {
    ExportedRow run;
    std::vector<ExportedPlan> plans;
    std::uint64_t ticks = 0, mail = 0;
    bool snapshot = false;
};
BOOST_DESCRIBE_STRUCT(ExportedRun, (), (run, plans, ticks, mail, snapshot))

/// Writes or reads lines in order; the sum of each line covers the sum of the line before.
class Sums {
public:
    /// Returns the object's text, with its sum as the first member.
    std::string with_sum(const std::string& object);
    /// Returns the object's text; empty if the line has another form, or a wrong sum.
    std::string checked(std::string_view line);

private:
    std::uint64_t before_ = 0, number_ = 0;
    std::string next(std::string_view object);
};
}
