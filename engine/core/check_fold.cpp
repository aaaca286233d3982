// Handles of cells differ between a live run and a fold, and free records keep old values: both are normalised before
// the comparison.
#include "engine/core/check_fold.hpp"
#include "engine/core/kept_state.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/record.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/journal/format.hpp"
#include <cstdio>
#include <cstdlib>

namespace weft::core {
namespace {
template <class T, std::uint32_t inside> void clear_free(Records<T, inside>& records) {
    records.fill(used_of(records), records.free());
}
State comparable(const State& state, const std::vector<Handle>* numbers) {
    State plain = state;
    for (Handle h : state.tokens.used()) {
        Token& token = plain.tokens[h];
        if (token.phase != TokenPhase::question && token.cell != none && numbers) token.cell = (*numbers)[token.cell];
    }
    clear_free(plain.tokens);
    clear_free(plain.groups);
    if (plain.meeting) clear_free(plain.meeting->partials);
    if (plain.result != none && numbers) plain.result = (*numbers)[plain.result];
    return plain;
}
}
std::shared_ptr<FoldCheck> check_from(const Fold& fold, const std::map<Handle, Handle>& cells) {
    auto check = std::make_shared<FoldCheck>(FoldCheck{fold, {}, fold.events()});
    for (auto [number, cell] : cells) grown(check->numbers, cell, none) = number;
    return check;
}
void check_fold(RunCore& run, std::uint64_t seq, const std::string& body, const Tick& tick) {
    auto& check = run.extras->track->check;
    if (!check) check = std::make_shared<FoldCheck>(FoldCheck{Fold(named_plan(*run.definition)), {}, 0});
    for (auto& e : tick.events) grown(check->numbers, e.cell, none) = check->next++;
    check->fold.add({seq, journal::read_record(body)});
    if (comparable(run.state, &check->numbers) == comparable(check->fold.state(), nullptr)) return;
    std::fprintf(stderr, "weft: the state of run %s differs from the fold of its ticks at tick %llu: %s\n",
                 run.id().c_str(), static_cast<unsigned long long>(seq), body.c_str());
    std::abort();
}
void check_snapshot_of(RunCore& run, const std::string& text, const std::vector<Handle>& numbers) {
    const char* differs = nullptr;
    std::shared_ptr<FoldCheck> check;
    try {
        const auto snapshot = std::make_shared<const journal::SnapshotRecord>(journal::read_snapshot(text));
        const auto fold = fold_of(named_plan(*run.definition), snapshot);
        const Fold& before = run.extras->track->check->fold;
        RunCore other(*run.loop.load(), *run.mailbox, run.definition, 0);
        SlotsFold(*run.definition, other.slots).add({&snapshot->slots, nullptr});
        const auto born = [](const Fold& of, Handle h) {
            return h < of.invocations.size() ? of.invocations[h].born : 0;
        };
        if (comparable(run.state, &numbers) != comparable(fold.state(), nullptr)) differs = "state";
        if (record_slots(other) != record_slots(run)) differs = "slots";
        if (fold.delays != before.delays || !before.notes.empty()) differs = "attempts";
        if (fold.deadline != before.deadline || fold.timeout != before.timeout) differs = "deadline";
        if (fold.values != before.values) differs = "values";
        for (Handle h : run.state.tokens.used()) {
            const Token& token = run.state.tokens[h];
            if (token.phase == TokenPhase::running && born(fold, h) != born(before, h)) differs = "invocations";
            if (token.phase == TokenPhase::question && !fold.asked.contains(h)) differs = "questions";
        }
        check = std::make_shared<FoldCheck>(FoldCheck{fold, numbers, fold.events()});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        differs = "it is unreadable";
    }
    if (!differs) {
        run.extras->track->check = std::move(check);
        return;
    }
    std::fprintf(stderr, "weft: a snapshot of run %s differs from the run: %s: %s\n", run.id().c_str(), differs,
                 text.c_str());
    std::abort();
}
}
