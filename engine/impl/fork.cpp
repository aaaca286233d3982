// Copies the ticks as they are, with new checksums; edited slots become one more record.
#include "engine/fork.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/record.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/error.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/replay.hpp"
#include "engine/storage/answer.hpp"
#include <nlohmann/json.hpp>

namespace weft {
using namespace storage;
namespace {
void add_tick(NewRun& run, std::uint64_t first, std::string body) {
    const auto seq = first + run.ticks.size();
    const auto sum = chained_sum(run.ticks.empty() ? 0 : run.ticks.back().sum, seq, body);
    run.ticks.push_back({seq, std::move(body), sum});
}
journal::JsonMap values_of(const std::map<std::string, std::string>& texts) {
    journal::JsonMap slots;
    for (auto& [name, text] : texts) try {
            slots[name] = parse_json(text);
        } catch (const Error& error) {
            throw Error(Code::usage, "the value of slot " + name + " is not JSON: " + error.what());
        }
    return slots;
}
}
void check_slots(const core::Definition& workflow, const std::map<std::string, std::string>& slots, Store* store,
                 const std::string& run) {
    if (!workflow.durable)
        throw Error(Code::usage, "a workflow without durable runs has no stored slots: wrap it in durable()");
    for (auto& [name, value] : slots) {
        if (const auto* type = core::find_slot(workflow, name); type && core::stored_name(workflow, *type) == name)
            continue;
        const auto known = store ? journal::fold_slots(journal::read_entries(history_of(*store, run)))
                                 : journal::JsonMap();
        std::string names;
        for (auto& [stored, current] : known) (names += names.empty() ? "" : ", ") += stored;
        throw Error(Code::usage, "the workflow " + std::string(workflow.name) + " has no slot " + name + "; it has " +
                                     (names.empty() ? "none" : names));
    }
    core::Slots scratch;
    const auto values = values_of(slots);
    core::SlotsFold(workflow, scratch).add({&values, nullptr});
}
std::string fork(Store& store, const std::string& id, std::uint64_t at, const ForkOptions& options) {
    journal::EditedRecord edited{.slots = values_of(options.slots)};
    const auto history = history_of(store, id);
    if (history.ticks.empty()) throw Error(Code::usage, "run " + id + " has no ticks yet, so it cannot be forked");
    const auto first = history.ticks.front().seq;
    if (at < first || at >= history.run.next_seq)
        throw Error(Code::usage, "run " + id + " has the ticks " + std::to_string(first) + " to " +
                                     std::to_string(history.run.next_seq - 1) + ", and none with the number " +
                                     std::to_string(at));
    NewRun run;
    run.id = options.id.empty() ? core::hex(core::draw_seed()) : options.id;
    run.options = history.run.options;
    run.queue = history.run.queue;
    run.priority = history.run.priority;
    run.forked_from = id;
    std::string hash = history.run.hash;
    for (std::uint64_t i = 0; i <= at - first; ++i) {
        const auto& line = history.ticks[i].body;
        const auto record = journal::read_record(line);
        const auto declared = journal::declaration_of(record);
        if (journal::path_of(record).empty() && !declared.hash.empty()) hash = declared.hash;
        edited.at = journal::time_of(record);
        add_tick(run, first, journal::without_timeout(line));
    }
    if (!edited.slots.empty()) add_tick(run, first, journal::write_record(edited));
    run.plan = storage::answer_of<StoredPlan>([&](auto then) { store.plan(hash, std::move(then)); });
    return storage::answer_of<CreateReply>([&](auto then) { store.create(std::move(run), std::move(then)); }).id;
}
}
