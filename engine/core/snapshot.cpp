// A snapshot contains events and slots in the form of a tick, so the same code reads them.
#include "engine/core/snapshot.hpp"
#include "engine/core/check_fold.hpp"
#include "engine/core/kept_state.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/record.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/json/walk.hpp"
#include <nlohmann/json.hpp>

namespace weft::core {
using namespace storage;
using nlohmann::json;

namespace {
constexpr std::size_t most_snapshot_bytes = std::size_t{256} << 20;  // a store takes it in one piece

template <class Function> void each_cell_of(const State& state, Handle token, Function function) {
    const Token& t = state.tokens[token];
    if (t.cell != none) return function(t.cell);
    for (Handle i = t.items; i != none; i = state.tokens[i].next) function(state.tokens[i].cell);
}
class SnapshotWriter {
public:
    explicit SnapshotWriter(RunCore& run) : run_(run), kept_(run.extras->track->kept) {}
    std::string write(std::uint64_t sum) {
        const auto kept = state_of(run_.state);
        auto state = json_detail::write(json_detail::shape_of<KeptState>, &kept, json_detail::Path("snapshot"));
        leave_out_usual(state["tokens"]);
        if (!kept.first) state.erase("first");
        if (!kept.ending) state.erase("ending");
        return journal::write_snapshot({run_.definition->durable->hash, sum, run_.extras->track->log->plans,
                                        std::move(all_), record_slots(run_), std::move(state)});
    }
    const std::vector<Handle>& numbers() const { return numbers_; }  // numbers of events, by cell

private:
    KeptState state_of(const State& state) {
        KeptState s;
        for (Handle h : state.tokens.used()) s.tokens.push_back(token(h, state.tokens[h]));
        s.free_tokens = state.tokens.free();
        s.lanes.assign(state.lanes.begin(), state.lanes.end());
        s.groups = used_of(state.groups);
        s.free_groups = state.groups.free();
        if (state.meeting) {
            const Meeting& m = *state.meeting;
            s.meeting = {used_of(m.partials), m.partials.free(), m.first_partial, m.tokens, m.groups,
                         m.tokens_of,         m.within};
        }
        s.live = state.live;
        s.asked = state.asked;
        s.deadline = kept_.deadline;
        s.timeout = kept_.timeout;
        s.values.text = kept_.values;
        if (state.ending != EndingPhase::not_begun) s.ending = ending_of(state);
        if (run_.extras->track->log->first() > 0) s.first = run_.extras->track->log->first();
        return s;
    }
    KeptEnding ending_of(const State& state) const {
        const auto& x = *run_.extras;
        KeptEnding ending{.phase = std::uint8_t(state.ending),
                          .status = std::uint8_t(state.ends_as),
                          .culprit = state.culprit,
                          .attempts = x.attempts,
                          .active_steps = x.active_steps,
                          .prolongations = kept_.prolongations};
        if (x.error) {
            ending.error = sentence_of(x.error);
            ending.code = weft::name(code_of(x.error));
        }
        return ending;
    }
    KeptToken token(Handle h, const Token& t) {
        KeptToken k;
        const auto phase = t.phase;
        k.cell = t.cell;
        k.items = t.items;
        k.next = t.next;
        k.place = t.place;
        k.step = t.step;
        k.phase = std::uint8_t(phase);
        k.attempts = t.attempts;
        k.recoveries = t.recoveries;
        k.dropped = t.dropped;
        if (phase == TokenPhase::question) k.asks = add(journal::read_event(kept_.questions.at(h).event));
        else if (t.cell != none) k.cell = number(t.cell);
        if (phase == TokenPhase::running || t.attempts) k.born = run_.extras->track->invocation(h).born;
        if (phase == TokenPhase::delayed) k.delay = kept_.delays.at(h);
        return k;
    }
    Handle number(Handle cell) {
        auto& known = grown(numbers_, cell, none);
        if (known != none) return known;
        const auto given = kept_.inputs.find(cell);
        return known = add(given == kept_.inputs.end() ? record_event(run_, cell) : journal::read_event(given->second));
    }
    Handle add(journal::EventRecord event) {
        all_.push_back(std::move(event));
        return Handle(all_.size() - 1);
    }
    static void leave_out_usual(json& tokens) {
        const KeptToken default_token;
        const auto usual = json_detail::write(json_detail::shape_of<KeptToken>, &default_token,
                                              json_detail::Path("snapshot"));
        for (auto& token : tokens)
            for (auto& [name, value] : usual.items())
                if (const auto found = token.find(name); found != token.end() && *found == value) token.erase(found);
    }
    RunCore& run_;
    const SnapshotExtras& kept_;
    std::vector<journal::EventRecord> all_;
    std::vector<Handle> numbers_;
};
/// Whether all running work could begin again from a snapshot alone.
bool has_all(RunCore& run) {
    auto& track = *run.extras->track;
    auto& kept = track.kept;
    if (!kept.recorded.empty() || !track.effects.empty()) return false;
    for (auto i = kept.remade.begin(); i != kept.remade.end(); i = kept.remade.erase(i))
        if (run.cells[*i].type != Cells::empty) return false;
    std::set<Handle> ready;  // running tokens with a stored event: not begun, or with kept input
    for (auto* a = run.attempts; a; a = a->next) {
        bool has_input = true;
        each_cell_of(run.state, a->token, [&](Handle cell) { has_input = has_input && kept.inputs.contains(cell); });
        if (!has_input) return false;
        ready.insert(a->token);
    }
    for (auto i = run.commands->done; i < run.commands->size(); ++i)
        if (const Command& c = (*run.commands)[i]; c.kind == Command::invoke) ready.insert(c.token);
    for (Handle h : run.state.tokens.used())
        if (run.state.tokens[h].phase == TokenPhase::running && !ready.contains(h)) return false;
    return true;
}
bool is_snapshotted(const RunCore& run) {
    const auto& track = *run.extras->track;
    return track.log && track.path.empty() && track.log->snapshot_every;
}
}

std::optional<Snapshot> take_snapshot(RunCore& run, const std::string& last_tick) {
    auto& log = *run.extras->track->log;
    if (!is_snapshotted(run) || run.state.status != RunStatus::running || log.next() == log.first() ||
        !log.wants_snapshot() || run.extras->waiting_start)
        return {};  // the input of a step that has ended is gone
    if (log.snapshot_every > 1 && log.bytes + last_tick.size() < log.snapshot_bytes) return {};
    if (!has_all(run)) return {};
    try {
        SnapshotWriter writer(run);
        Snapshot snapshot{.upto = log.next() + 1, .body = writer.write(log.sum_of_next(last_tick)), .sum = 0};
        if constexpr (checks_folds) check_snapshot_of(run, snapshot.body, writer.numbers());
        snapshot.sum = chained_sum(0, snapshot.upto, snapshot.body);
        if (snapshot.body.size() <= most_snapshot_bytes) return snapshot;
    } catch (const std::exception&) {}  // the run continues without a snapshot: its ticks suffice
    log.snapshot_at = log.next();
    return {};
}
void keep_input(RunCore& run, Handle token) {
    auto& track = *run.extras->track;
    if (!is_snapshotted(run) || run.state.status != RunStatus::running || !track.log->wants_snapshot()) return;
    each_cell_of(run.state, token, [&](Handle cell) {
        if (!track.kept.remade.contains(cell) && !track.kept.inputs.contains(cell))
            track.kept.inputs[cell] = journal::write_event(record_event(run, cell));
    });
}
void note_before(RunCore& run, const Tick& tick, bool made_by_repeatable) {
    if (!is_snapshotted(run)) return;
    auto& kept = run.extras->track->kept;
    if (tick.token != none) {
        kept.recorded.erase(tick.token);
        if (!tick.retry) kept.delays.erase(tick.token);
    }
    if (!kept.inputs.empty())
        std::erase_if(kept.inputs, [&](auto& i) { return run.cells[i.first].type == Cells::empty; });
    for (auto& e : tick.events) {
        kept.inputs.erase(e.cell);
        if (made_by_repeatable) kept.remade.insert(e.cell);
        else kept.remade.erase(e.cell);
    }
    if (tick.kind == Tick::arrived && !kept.questions.empty())
        kept.questions.erase(
            answered_question(run.definition->plan, run.state, tick.events.front().type, tick.question));
}
void note_after(RunCore& run, std::size_t first_command) {
    if (!is_snapshotted(run)) return;
    auto& questions = run.extras->track->kept.questions;
    if (run.definition->plan.has_first)  // else only an answer closes a question
        std::erase_if(questions, [&](auto& q) {
            const Token& token = run.state.tokens[q.first];
            return token.phase != TokenPhase::question || token.items != q.second.serial;
        });
    for (auto i = first_command; i < run.commands->size(); ++i) {
        const Command& c = (*run.commands)[i];
        if (c.kind == Command::publish)
            questions[c.token] = {c.serial, journal::write_event(record_event(run, c.cell))};
    }
}
}
