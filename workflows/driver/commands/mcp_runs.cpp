// The functions of the store block, so they are called on the pool. A client sees only runs of the offered workflows.
#include "workflows/driver/commands/mcp_runs.hpp"
#include "engine/clock.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/line.hpp"
#include "engine/replay.hpp"
#include "engine/schedule/targets.hpp"
#include "engine/store/rules.hpp"
#include "engine/text/iso_time.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "tools/make_tool.hpp"
#include "tools/parallel.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/schedules.hpp"
#include "workflows/catalog/stored/inbox.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include <algorithm>

namespace weft::driver {
namespace {
using tools::ToolError;
using namespace std::chrono_literals;
constexpr std::int64_t most_seconds = 10 * 366 * 86'400ll;

struct StartRunArguments {
    std::string workflow;
    JsonText input;
    std::optional<std::int64_t> in_seconds;
    std::optional<std::string> not_before, key;
};
BOOST_DESCRIBE_STRUCT(StartRunArguments, (), (workflow, input, in_seconds, not_before, key))
struct StartedStoredRun {
    std::string run;
};
BOOST_DESCRIBE_STRUCT(StartedStoredRun, (), (run))

struct ShowRunArguments {
    std::string run;
    std::optional<int> wait_seconds;
};
BOOST_DESCRIBE_STRUCT(ShowRunArguments, (), (run, wait_seconds))
constexpr int longest_wait = 50;  // seconds: common clients give a call 60 s

struct StoredRuns : StoredRunsOffer {
    void check_workflow(const std::string& name) const {
        if (std::ranges::find(workflows, name) == workflows.end())
            throw ToolError("there is no workflow \"" + excerpt(name, 60) + "\" here; there are " +
                            with_commas(workflows));
    }
    /// Throws ToolError for the id of no run, and for a run of another workflow.
    catalog::ShownRun find(const std::string& run) const {
        const auto rows = catalog::rows_of(store, {.ids = {run}});
        if (rows.empty() || std::ranges::find(workflows, rows[0].workflow) == workflows.end())
            throw ToolError("there is no run \"" + excerpt(run, 60) + "\": give the id that start_run has returned");
        const auto history = history_of(store, rows[0].id);
        return catalog::describe(history, journal::read_entries(history), has_engine(history.run.id));
    }
    /// A second cancellation would end the undoing of the run's work.
    std::string cancelled(const std::string& run) const {
        const auto known = find(run);
        if (known.undoes_after) return "run " + known.id + " is undoing its work, and ends then";
        if (known.to_be_cancelled) return "run " + known.id + " was already to be cancelled";
        return "run " + catalog::send_cancel(store, known.id).run + " will be cancelled";
    }
};
std::optional<WallTime> begin_of(const StartRunArguments& start) {
    if (start.in_seconds && start.not_before)
        throw ToolError("in_seconds and not_before cannot be given together: leave one out");
    if (start.in_seconds) {
        if (*start.in_seconds < 0 || *start.in_seconds > most_seconds)
            throw ToolError("in_seconds has to be a number from 0 to " + std::to_string(most_seconds));
        return real_clock().wall() + std::chrono::seconds(*start.in_seconds);
    }
    if (!start.not_before) return {};
    const auto time = read_iso_time(*start.not_before);
    if (!time.mistake.empty()) throw ToolError("not_before " + time.mistake);
    return time.at;
}
awaitable<StartedStoredRun> start_run(const StoredRuns& runs, StartRunArguments start) {
    runs.check_workflow(start.workflow);
    auto options = runs.options;
    options.not_before = begin_of(start);
    options.key = start.key.value_or("");
    if (!options.key.empty() && !storage::can_be_run_id(options.key))
        throw ToolError("key has to be a text without control characters");
    auto input = to_json(start.input);
    auto target = catalog::scheduled_target(start.workflow, input);
    options.stored = std::move(target.stored);
    auto putting = schedule::put_run(runs.store, std::move(target.definition), std::move(input), std::move(options));
    StartedStoredRun started;
    started.run = co_await std::move(putting);
    co_return started;
}
awaitable<std::string> show_run(const StoredRuns& runs, ShowRunArguments which) {
    const int wait = which.wait_seconds.value_or(0);
    if (wait < 0 || wait > longest_wait)
        throw ToolError("wait_seconds has to be a number from 0 to " + std::to_string(longest_wait));
    const auto& clock = co_await this_clock();
    const auto end = clock.after(std::chrono::seconds(wait));
    for (;;) {
        auto work = [&runs, &which](std::stop_token) { return runs.find(which.run); };
        auto finding = runs.pool.run(std::move(work));
        const auto found = co_await std::move(finding);
        if (!found.outcome.is_null() || !found.questions.empty() || clock.now() >= end) {
            auto all = to_json(found);
            for (const auto* of_operators : {"options", "slots", "forked_from"}) all.erase(of_operators);
            co_return json_line(all);
        }
        co_await sleep_for(500ms);
    }
}
}

tools::Registry run_tools(StoredRunsOffer offer) {
    const auto runs = std::make_shared<const StoredRuns>(StoredRuns{std::move(offer)});
    auto start = [runs](StartRunArguments run) { return start_run(*runs, std::move(run)); };
    auto show = [runs](ShowRunArguments which) { return show_run(*runs, std::move(which)); };
    auto cancel = [runs](const std::string& run) {
        auto work = [runs, run](std::stop_token) { return runs->cancelled(run); };
        return runs->pool.run(std::move(work));
    };
    tools::Registry all;
    all.add(tools::make_tool(
        "start_run",
        "Stores a run of a workflow, which a worker executes now, after in_seconds, or not before a time such as "
        "2030-12-24T18:00+01:00. Returns the id of the run without waiting for it. The input is the start event: the "
        "arguments of the tool that has the name of the workflow. A start with a known key adds no run.",
        std::move(start)));
    all.add(tools::parallel(tools::make_tool(
        "show_run",
        "Shows the status of a stored run, its open questions, and its outcome if it has ended. Waits for its end or a "
        "question, at most wait_seconds, 0 to 50.",
        std::move(show))));
    all.add(tools::make_tool("cancel_run", "Cancels a stored run.", std::move(cancel), {"run"}));
    return all;
}
}
