"""Faults of runs that several builds of a program execute, whose declarations of a workflow differ."""
PLACE = "runs that builds with other declarations take over"
FAULTS = {
    "engine/core/carry.cpp": [
        ("a run whose step another build calls by another name is carried there",
         "else add(carried_.missing, std::string(what)", "else if (!PLANTED) add(carried_.missing, std::string(what)"),
        ("a carried token keeps the index of its step",
         "                token.step = *s;\n", "                token.step = PLANTED ? former : *s;\n"),
        ("a carried step has all its workers free",
         "lane.free -= std::min(busy, lane.free);", "if (!PLANTED) lane.free -= std::min(busy, lane.free);"),
        ("a carried step forgets the tokens that wait for its workers",
         "            lane.first = former.first;\n            lane.last = former.last;\n",
         "            if (!PLANTED) lane.first = former.first;\n            if (!PLANTED) lane.last = former.last;\n"),
        ("a carried question forgets that it is open",
         "                lanes[to_.plan.events[*type].lane] =",
         "                if (!PLANTED) lanes[to_.plan.events[*type].lane] ="),
        ("a carried join takes its events in their former places",
         "            partial.part = std::uint16_t(", "            if (!PLANTED) partial.part = std::uint16_t("),
        ("a carried group has the collectors of its former indexes",
         "carried_.state.groups[h].collectors = collectors;",
         "if (!PLANTED) carried_.state.groups[h].collectors = collectors;"),
    ],
    "engine/core/restore.cpp": [
        ("a carried run does not tell the store its new declaration",
         "log.append(journal::write_record(record), {}, {}, std::move(plan));",
         "if (!PLANTED) log.append(journal::write_record(record), {}, {}, std::move(plan));"),
    ],
    "engine/durable/machine.cpp": [
        ("a run stays with an engine whose declaration does not fit",
         "if (!std::exchange(s.is_ours, false)) return {DurableCommand::refuse};",
         "if (!std::exchange(s.is_ours, false) || PLANTED) return {DurableCommand::refuse};"),
    ],
}
