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
using catalog::AgentOptions, catalog::StoredRunOptions, catalog::OnWorker;
namespace {
/// The lower of two limits; 0 means no limit.
template <class Number>
requires std::is_arithmetic_v<Number> Number lower(Number a, Number b) {
    return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

agents::Budget lower(const agents::Budget& a, const agents::Budget& b) {
    agents::Budget both;
    both.tokens = lower(a.tokens, b.tokens);
    both.cost = lower(a.cost, b.cost);
    both.requests = lower(a.requests, b.requests);
    both.tool_calls = lower(a.tool_calls, b.tool_calls);
    both.time_ms = lower(a.time_ms, b.time_ms);
    return both;
}
bool lower(bool a, bool b) { return a && b; }

/// Whether the run would behave differently without this option.
template <class T> bool is_own(const T& of_run, const T& usual) {
    if constexpr (requires { of_run == usual; }) return of_run != usual;
    else return true;
}
bool is_own(tools::PermissionMode of_run, tools::PermissionMode) { return of_run == tools::PermissionMode::never; }
template <class T> void refuse(std::string_view flag, const T&) {
    const auto* word = std::is_same_v<T, tools::PermissionMode> ? " never" : "";
    throw Error(Code::usage, "the run began with " + std::string(flag) + word +
                                 ", and a worker uses only its own options: continue the run by `weft resume`");
}
template <class T> void take(T& own, const T& of_run) { own = of_run; }
template <class T> void take(std::optional<T>& own, const std::optional<T>& of_run) {
    if (of_run) own = of_run;
}
template <class T> void take_lower(T& own, const T& of_run) {
    if constexpr (requires { lower(own, of_run); }) own = lower(own, of_run);
}
}
AgentOptions options_for(const AgentOptions& of_worker, const StoredRunOptions& kept) {
    if (!kept.handler.empty())
        throw Error(Code::usage, "a client of a server began the run: continue it by `weft serve`");
    static const AgentOptions usual;
    auto options = of_worker;
    options.uses_scripts = false;  // the sender would mistake its reply for a model's
    for (const auto& row : catalog::option_rows) {
        if (row.stored == catalog::OptionStorage::no) continue;
        const auto choose = [&](auto member) {
            const auto& of_run = kept.options.*member;
            if (row.on_worker == OnWorker::refused && is_own(of_run, usual.*member)) refuse(row.flag, of_run);
            if (row.on_worker == OnWorker::chosen) take(options.*member, of_run);
            if (row.on_worker == OnWorker::lower) take_lower(options.*member, of_run);
        };
        std::visit(choose, row.member);
    }
    return options;
}
std::vector<WorkflowOffer> catalog_offers(const catalog::ProcessResources& process,
                                          const std::vector<std::string>& names) {
    std::vector<const catalog::CatalogEntry*> chosen;
    for (const auto& name : names)
        if (const auto& entry = catalog::find_workflow(name, true); &entry != &catalog::schedule_entry())
            chosen.push_back(&entry);
    if (names.empty())
        for (const auto& entry : catalog::entries()) chosen.push_back(&entry);
    chosen.push_back(&catalog::schedule_entry());
    std::vector<WorkflowOffer> offers;
    for (const auto* entry : chosen) {
        const auto resume = [&process, entry](const storage::RunRow& row, const RunOptions& options) {
            const auto kept = catalog::read_stored_run_options(row);
            catalog::RunChoices own{.memory = std::make_shared<agents::ConversationMemory>(),
                                    .options = options_for(process.options(), kept),
                                    .restarts_scripts = true};
            const auto of_run = std::make_shared<catalog::RunResources>(process, std::move(own));
            (void)entry->resume(*of_run, row.id, kept.input, options);  // the run continues without a handle
            return std::shared_ptr<void>(of_run);
        };
        offers.push_back({std::string(entry->name), entry->stored()->durable->hash, resume});
    }
    return offers;
}
}
