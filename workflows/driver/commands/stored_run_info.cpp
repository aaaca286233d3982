// The contents of a store are untrusted, so these functions check the workflow, the command and the input.
#include "workflows/driver/commands/stored_run_info.hpp"
#include "engine/error.hpp"
#include "engine/event_json.hpp"
#include "workflows/driver/commands.hpp"

namespace weft::driver {
using namespace storage;

const catalog::CatalogEntry& entry_of(const RunRow& row) {
    if (const auto* entry = catalog::find_stored_workflow(row.workflow)) return *entry;
    throw Error(Code::usage, "run " + row.id + " has the workflow " + row.workflow +
                                 ", which this weft does not have: resume it with the program that started it");
}
catalog::StoredRunOptions checked_run(const RunRow& row, const catalog::CatalogEntry& entry) {
    auto kept = catalog::read_stored_run_options(row);
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::journal, "run " + row.id + " keeps options that cannot be used: " + why);
    };
    const bool agent = is_agent(kept.command) && show_of_agent(kept.command, {}).workflow == entry.name;
    const bool any = kept.command == "run" || kept.command == "serve";  // these commands take any workflow
    if (!any && !agent) refuse("no command " + kept.command + " runs " + row.workflow);
    try {
        read_event(start_event(entry.outline()), kept.input, "input");
    } catch (const Error& error) { refuse(error.what()); }
    return kept;
}
}
