// The options kept with a run are within their bounds (kept_run.hpp); here they are compared with the worker's.
#include "workflows/worker/catalog_offers.hpp"
#include "engine/durable.hpp"
#include "engine/error.hpp"
#include "engine/run_options.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/memory/memory.hpp"
#include "workflows/catalog/catalog.hpp"
#include <algorithm>

namespace weft::worker {
using catalog::AgentOptions, catalog::KeptOptions, catalog::KeptRun;
namespace {
/// 0 is no limit.
template <class Number> Number lower(Number a, Number b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

agents::Budget lower(const agents::Budget& a, const agents::Budget& b) {
    agents::Budget both;
    both.tokens = lower(a.tokens, b.tokens);
    both.cost = lower(a.cost, b.cost);
    both.requests = lower(a.requests, b.requests);
    both.tool_calls = lower(a.tool_calls, b.tool_calls);
    both.time_ms = lower(a.time_ms, b.time_ms);
    return both;
}
/// Options without which the run would do something else.
void refuse_own_things(const KeptOptions& kept) {
    const std::pair<const char*, bool> own[] = {
        {"--db", !kept.database.empty()},
        {"--db-write", kept.writes_database},
        {"--tools", !kept.tools.empty()},
        {"--approve", !kept.approve.empty()},
        {"--deny", !kept.deny.empty()},
        {"--permission never", kept.permission == tools::PermissionMode::never},
        {"--system", !kept.system.empty()},
        {"--template", !kept.template_file.empty()},
        {"--memory", !kept.memory_file.empty()},
        {"--schema", !kept.schema_file.empty()},
        {"--web", !kept.web_hosts.empty()},
        {"--mcp", !kept.mcp.empty()},
    };
    for (const auto& [option, has_it] : own)
        if (has_it)
            throw Error(Code::usage, std::string("it was begun with ") + option +
                                         ", and a worker has only what it was started with: `weft resume` goes on "
                                         "with it");
}
}
AgentOptions options_for(const AgentOptions& of_worker, const KeptRun& kept) {
    if (!kept.handler.empty())
        throw Error(Code::usage, "clients of a server have begun it: `weft serve` goes on with it");
    const auto& run = kept.options;
    refuse_own_things(run);
    auto options = of_worker;
    options.uses_scripts = false;  // whoever has sent the run would take the reply for a model's
    options.dialect = run.dialect;
    options.budget = lower(of_worker.budget, run.budget);
    options.max_steps = lower(of_worker.max_steps, run.max_steps);
    options.context_tokens = lower(of_worker.context_tokens, run.context_tokens);
    options.summarise = run.summarise;
    options.temperature = run.temperature ? run.temperature : of_worker.temperature;
    options.restart = run.restart;
    options.fallback = run.fallback && of_worker.fallback;
    options.parallel = run.parallel;
    return options;
}
std::vector<Offer> catalog_offers(catalog::Setup& setup, const std::vector<std::string>& names) {
    std::vector<const catalog::Entry*> chosen;
    for (const auto& name : names) chosen.push_back(&catalog::find_workflow(name));
    if (names.empty())
        for (const auto& entry : catalog::entries()) chosen.push_back(&entry);
    std::vector<Offer> offers;
    for (const auto* entry : chosen) {
        const auto resume = [&setup, entry](const storage::RunRow& row, const RunOptions& options) {
            const auto kept = catalog::read_kept_run(row);
            catalog::OfRun own{.memory = std::make_shared<agents::ConversationMemory>(),
                               .handler = {},
                               .options = options_for(setup.options(), kept)};
            const auto of_run = std::make_shared<catalog::Setup>(setup, std::move(own));
            (void)entry->resume(*of_run, row.id, kept.input, options);  // the run goes on without a handle
            return std::shared_ptr<void>(of_run);
        };
        offers.push_back({std::string(entry->name), entry->stored()->durable->hash, resume});
    }
    return offers;
}
}
