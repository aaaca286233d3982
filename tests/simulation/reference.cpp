// A run alone in a world: no store, no faults, and answers as soon as it waits for them.
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/run_options.hpp"
#include "tests/simulation/history.hpp"
#include <nlohmann/json.hpp>

namespace simulation {
using namespace std::chrono_literals;
std::optional<std::uint64_t> value_without_faults(const Graph& graph, std::uint64_t value) {
    World world(1);
    Machine machine(world);
    MachineClock clock(machine);
    Site site(world, nullptr);
    core::LoopCore loop(Runtime{machine.executor(), &clock}, {.seed = 1});
    const auto run = loop.make(site.definition(graph), {});
    begin(run, value);
    for (int i = 0; i < 1000 && !run->complete; ++i) {
        world.run_until(world.now() + 10s);
        if (!run->idle()) continue;
        for (std::size_t type = 0; type < graph.events.size(); ++type)
            if (graph.events[type].place == Place::reply && run->state.status == RunStatus::running) {
                ReplyCargo reply;
                reply.cargo.value = value_of_answers;
                run->arrive(run->cells.put(TypeIndex(type), std::move(reply)));
            }
    }
    if (run->state.status != RunStatus::done) return {};
    return static_cast<StopCargo*>(core::stop_cell(*run).event())->cargo.value;
}
void compare(Ledger& ledger, const std::string& run, const Graph& graph, std::uint64_t value,
             const storage::RunRow& row) {
    if (!graph.is_confluent || (row.status != RunStatus::done && row.status != RunStatus::failed)) return;
    if (const auto limit = row.outcome.find(" processes ended or lost their lease"); limit != row.outcome.npos) {
        const auto before = row.outcome.find_last_not_of("0123456789", limit - 1) + 1;
        if (std::stoul(row.outcome.substr(before, limit - before)) < 20)
            ledger.fault("the run " + run + " fails too early: " + row.outcome);
        return;
    }
    ++ledger.counts.compared;
    std::optional<std::uint64_t> result;
    if (row.status == RunStatus::done) result = nlohmann::json::parse(row.outcome)["data"]["cargo"]["value"];
    if (result != value_without_faults(graph, value))
        ledger.fault("the run " + run + " has another result than without faults: " + row.outcome);
}
}
