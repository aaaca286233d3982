// `weft fork`: checks its options before it writes to the store. The declaration is this program's: slots of a workflow
// that it does not have are checked at the resume of the new run.
#include "engine/fork.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json/parse.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/shell_commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>

namespace weft::driver {
using namespace storage;
namespace {
ForkOptions fork_options(const StoredChoices& chosen) {
    ForkOptions options;
    for (auto& [name, value] : chosen.slots)
        if (!options.slots.emplace(name, value).second)
            throw Error(Code::usage, "--set " + name + " was given twice: a slot holds one value");
    return options;
}
void check(Store& store, const RunRow& row, const ForkOptions& options) {
    const auto& all = catalog::entries();
    const auto entry = std::ranges::find(all, row.workflow, &catalog::CatalogEntry::name);
    if (entry == all.end()) {
        if (!options.slots.empty()) note("this weft does not have the workflow of the run, so --set was not checked");
        return;
    }
    try {
        check_slots(entry->outline(), options.slots, &store, row.id);
        for (const auto& [name, value] : options.slots) {
            const auto& slot = *core::find_slot(entry->outline(), name);
            catalog::refuse_unknown_fields(json_detail::schema(*slot.shape, json_detail::Path(slot.name)),
                                           std::string(slot.name), parse_json(value), name);
        }
    } catch (const Error& error) { throw Error(Code::usage, std::string("--set: ") + error.what()); }
}
/// Requires a store that has this run, and slots that it can have.
RunRow run_to_fork(const Choices& choices, const ForkOptions& options) {
    const auto opened = visit_store(choices);
    auto row = catalog::find_run(*opened.store, choices.stored.run);
    check(*opened.store, row, options);
    return row;
}
ExitCode fork_stored(const Choices& choices) {
    const auto options = fork_options(choices.stored);
    const auto row = run_to_fork(choices, options);
    const auto opened = catalog::open_store(store_name(choices), SqliteAccess::engine);
    const auto id = fork(*opened.store, row.id, std::uint64_t(choices.stored.at), options);
    const auto ticks = choices.stored.at == 0 ? "tick 0" : "the ticks up to " + std::to_string(choices.stored.at);
    note("run " + id + " begins with " + ticks + " of run " + row.id +
         "; continue it with: " + resume_command(id, store_name(choices)));
    say(id);
    return ExitCode::ok;
}
constexpr auto fork_examples =
    R"(The new run begins with the ticks of the old one, up to TICK, and continues on its own, with the same options: to
try another answer, or another value of a slot. The old run does not change. The command prints the new id. No engine
may use a store that is a file; a worker of a database takes the new run at once.

  weft fork 4f2a --at 1 --store weft.db
  weft fork 4f2a --at 1 --set 'claim={"text": "1.00 for order 7"}' --store weft.db
)";
}

DriverCommand fork_command() {
    using enum OptionGroup;
    return {"fork",
            "make a new run that begins with the first ticks of a stored one",
            {run_id, forking, store},
            fork_stored,
            fork_examples};
}
}
