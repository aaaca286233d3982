// A detached start only writes the run, so it may come from a step of any loop.
#include "engine/schedule/engine_runs.hpp"
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/text.hpp"

namespace weft::schedule {
FindTarget targets(std::vector<std::shared_ptr<const Definition>> all) {
    return [all = std::move(all)](const std::string& workflow, const nlohmann::json&) {
        for (const auto& definition : all)
            if (definition->name == workflow) return RunTarget{definition, {}};
        throw Error(Code::usage, "there is no workflow \"" + workflow + "\" for a schedule; there are " +
                                     with_commas(all, [](const auto& each) { return each->name; }));
    };
}
awaitable<std::string> EngineRuns::start(RunToStart start) {
    const auto input = to_json(start.input);
    auto target = find_(start.workflow, input);
    RunOptions options;
    options.key = std::move(start.key);
    options.queue = std::move(start.queue);
    options.stored = std::move(target.stored);
    options.detached = true;
    const auto run = start_json(engine_, std::move(target.definition), input, options);
    co_await run.until_stored();
    co_return run.id();
}
awaitable<std::vector<std::string>> EngineRuns::unfinished(std::vector<std::string> runs) {
    storage::Filter named;
    named.ids = std::move(runs);
    auto asking = store_reply<std::vector<storage::RunRow>>([&](auto then) { store_.list(named, std::move(then)); });
    std::vector<std::string> found;
    for (auto& row : co_await std::move(asking))
        if (!has_ended(row.status)) found.push_back(std::move(row.id));
    co_return found;
}
awaitable<void> EngineRuns::cancel(std::string run) {
    auto sending = store_reply<storage::SendReply>(
        [&](auto then) { store_.send(journal::cancellation_of(run), std::move(then)); });
    (void)co_await std::move(sending);
}
}
