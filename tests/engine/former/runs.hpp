// A stored run as a line of v1.jsonl, and a function that puts the line into a store.
#pragma once
#include "engine/json.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/memory_store.hpp"
#include <stdexcept>

namespace former {
using namespace weft;

struct Letter {
    std::string id, body;
};
BOOST_DESCRIBE_STRUCT(Letter, (), (id, body))
struct Picture {  // the snapshot
    std::uint64_t upto = 0;
    std::string body;
};
BOOST_DESCRIBE_STRUCT(Picture, (), (upto, body))
struct Line {
    std::string name, workflow, hash, plan, outcome, waits_for;
    RunStatus status = RunStatus::ready;
    std::int64_t stored_at = 0;      // microseconds since 1970
    std::vector<std::string> ticks;  // the ticks' bodies, byte by byte
    std::vector<Letter> mail;        // mail that no tick has taken
    std::optional<Picture> snapshot;
};
BOOST_DESCRIBE_STRUCT(Line, (),
                      (name, workflow, hash, plan, outcome, waits_for, status, stored_at, ticks, mail, snapshot))

/// The run's id is the line's name.
inline void put(Store& store, const Line& line) {
    storage::NewRun run;
    run.id = line.name;
    run.plan = {line.hash, line.workflow, line.plan};
    run.owner = "former";
    for (auto& body : line.ticks) {
        const auto seq = run.ticks.size();
        run.ticks.push_back({seq, body, storage::chained_sum(seq ? run.ticks.back().sum : 0, seq, body)});
    }
    storage::Batch left{.run = run.id, .epoch = 1, .seq = run.ticks.size()};
    if (line.snapshot)
        left.snapshot = storage::Snapshot{line.snapshot->upto, line.snapshot->body,
                                          storage::chained_sum(0, line.snapshot->upto, line.snapshot->body)};
    left.waits_for = line.waits_for;
    left.left = storage::RunRelease{.status = has_ended(line.status) ? line.status : RunStatus::ready,
                                    .outcome = line.outcome};
    storage::answer_of<storage::CreateReply>([&](auto then) { store.create(std::move(run), std::move(then)); });
    for (auto& letter : line.mail)
        storage::answer_of<storage::SendReply>([&](auto then) {
            store.send({line.name, letter.id, letter.body}, std::move(then));
        });
    storage::answer_of<storage::AppendReply>([&](auto then) { store.append(std::move(left), std::move(then)); });
}
}
