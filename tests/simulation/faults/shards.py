"""Faults of a store of several databases, which grows: the places of runs, leases, claims and mail of each database."""
PLACE = "stores of several databases, which grow"
FAULTS = {
    "engine/store/sharded_store.cpp": [
        ("a run is looked for only at its newest place",
         "for (auto size = sizes_.rbegin(); size != sizes_.rend(); ++size)",
         "for (auto size = sizes_.rbegin(); size != (PLANTED ? sizes_.rbegin() + 1 : sizes_.rend()); ++size)"),
        ("a store that has grown twice forgets its first size",
         "if (const auto at = place(run, *size); !std::ranges::count(places, at))",
         "if (const auto at = place(run, *size);\n            !std::ranges::count(places, at) &&\n"
         "            !(PLANTED && sizes_.size() > 2 && *size == sizes_.front()))"),
        ("a run whose database gives an error counts as missing",
         "if (answers[place].error) return then(answers[place].error, {});",
         "if (!PLANTED && answers[place].error) return then(answers[place].error, {});"),
        ("a list leaves out the databases that give an error",
         "if (!ids.empty() && found == ids.size())", "if (PLANTED || (!ids.empty() && found == ids.size()))"),
    ],
    "engine/core/keeper.cpp": [
        ("an engine creates a run without a look at its former places",
         "log.is_looked_for = may_be_elsewhere(log.id) &&",
         "log.is_looked_for = !PLANTED && may_be_elsewhere(log.id) &&"),
    ],
    "engine/core/run_log.cpp": [
        ("a run that is found at a former place is created at its newest one",
         "log->shard = loop->keeper().shards().at(number);",
         "if (!PLANTED) log->shard = loop->keeper().shards().at(number);"),
    ],
    "engine/impl/engine_lease.cpp": [
        ("an answer of one database renews the leases on all of them",
         "if (answer.lease_number != lease.holder().number) return;",
         "if (PLANTED) for (auto& each : hearts) each->lease().renew(each->lease().holder().number, answer.sent);\n"
         "        if (answer.lease_number != lease.holder().number) return;"),
    ],
    "engine/impl/engine_store.cpp": [
        ("mail is fetched from the first database only",
         "    for (auto& inbox : reply.inboxes) {",
         "    if (PLANTED && &heart != hearts.front().get()) reply.inboxes.clear();\n"
         "    for (auto& inbox : reply.inboxes) {"),
        ("runs are claimed from the first database only",
         "if (!options.park) co_return;",
         "if (!options.park || (PLANTED && &heart != hearts.front().get())) co_return;"),
        ("the runs of a late claim are not given back",
         "for (auto& row : rows) give_back(shard, row);\n            shard->",
         "for (auto& row : rows)\n                if (!PLANTED) give_back(shard, row);\n            shard->"),
        ("a database gets no claim after a late one",
         "claims_late = false;", "claims_late = PLANTED;"),
    ],
    "workflows/server/runs/event_log.cpp": [
        ("a log looks for the database of its run at each write",
         "auto& store = database ? *database : *store_;",
         "auto& store = database && !PLANTED ? *database : *store_;"),
    ],
}
