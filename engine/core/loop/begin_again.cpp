// The number of questions goes on, so that an answer to an earlier question never answers a later one.
#include "engine/core/loop/begin_again.hpp"
#include "engine/core/event_reader.hpp"
#include "engine/core/graph/plan_ranges.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include <algorithm>
#include <set>

namespace weft::core {
namespace {
/// The steps that no event reaches without a signal, one bit each. None if the workflow has a quorum, which may cancel
/// a branch, but not one whose step has ended.
std::uint64_t awaited_steps(const Definition& d) {
    if (d.plan.has_first) return 0;
    std::vector<TypeIndex> next;
    for (std::size_t e = 0; e < d.events.size(); ++e) {
        const auto answers = d.plan.events[e].answers;
        if (d.events[e].is_start || (answers != no_type && answers != signals)) next.push_back(TypeIndex(e));
    }
    std::uint64_t reached = 0;
    while (!next.empty()) {
        const auto event = next.back();
        next.pop_back();
        for (auto& consumer : consumers_of(d.plan, event)) {
            if (reached >> consumer.step & 1) continue;
            reached |= std::uint64_t{1} << consumer.step;
            for (auto& edge : d.edges)
                if (edge.emits && edge.step == d.steps[consumer.step].name)
                    if (const auto emitted = event_named(d, edge.event)) next.push_back(*emitted);
        }
    }
    return ~reached;
}
/// The obstacle to beginning again, in words; empty: none, or only steps of this set.
std::string obstacle_of(const RunCore& run, Handle own, std::uint64_t awaited) {
    const auto& d = *run.definition;
    const auto* x = run.extras;
    if (run.state.ending != EndingPhase::not_begun) return "it undoes its work, and then ends";
    const auto* waiting = x && x->waiting_start ? &*x->waiting_start : nullptr;
    bool waits = false;
    for (Handle h : run.state.tokens.used()) {
        const Token& token = run.state.tokens[h];
        if (h == own || token.phase == TokenPhase::kept || (waiting && waiting->token == h)) continue;
        if (token.phase == TokenPhase::question)
            return "the question " + std::string(d.events[token.step].name) + " is open";
        if (awaited >> token.step & 1) {
            waits = true;
            continue;
        }
        return "step " + std::string(d.steps[token.step].name) + " is still at work";
    }
    if (!x) return {};
    if (x->parent) return "it is a child run: let its caller run it again";
    if (x->track && !waits)  // else it may be the child of such a step
        for (const auto* other : x->track->log->family)
            if (other != &run) return "its child run of " + std::string(other->definition->name) + " is still at work";
    return {};
}
TypeIndex type_of(const RunCore& run, const NextStart& next) {
    const auto& all = run.definition->events;
    for (std::size_t t = 0; t < all.size(); ++t)
        if (all[t].is_start && all[t].id == next.type->id) return TypeIndex(t);
    return no_type;
}
}
void check_next_start(const RunCore& run, Handle token, const NextStart& next) {
    const auto& d = *run.definition;
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::usage, "step " + std::string(d.steps[run.state.tokens[token].step].name) +
                                     " cannot begin its run again with " + std::string(next.type->name) + ": " + why);
    };
    if (type_of(run, next) == no_type) refuse("the workflow " + std::string(d.name) + " begins with another event");
    if (const auto obstacle = obstacle_of(run, token, awaited_steps(d)); !obstacle.empty()) refuse(obstacle);
    const auto step = run.state.tokens[token].step;
    const auto waits_for_its_worker = [&](Handle h) {
        return run.state.tokens[h].phase == TokenPhase::queued && run.state.tokens[h].step == step;
    };
    if (d.plan.steps[step].workers == 1 && std::ranges::any_of(run.state.tokens.used(), waits_for_its_worker))
        refuse("another event waits for its only worker: give the step more workers, or a retry");
}
Emitted put_next_start(RunCore& run, const NextStart& next) {
    const auto event = next.make ? next.make(run.slots) : next.event;
    const auto type = type_of(run, next);
    const auto start = run.definition->events[type].put(run, type, const_cast<void*>(next.type->event(event.get())));
    if (run.extras && run.extras->track) try {
            (void)record_event(run, start.cell);
        } catch (...) {
            run.cells.discard(start.cell);
            throw;
        }
    return start;
}
bool is_held_back(const RunCore& run, Handle token) { return !obstacle_of(run, token, 0).empty(); }
bool waits_for_signals(const RunCore& run, Handle token) {
    const auto* waiting = run.extras ? run.extras->waiting_start.get() : nullptr;
    const auto at_work = run.state.tokens.used();
    return std::ranges::any_of(at_work, [&, awaited = awaited_steps(*run.definition)](Handle h) {
        const Token& other = run.state.tokens[h];
        return h != token && !(waiting && waiting->token == h) && other.phase <= TokenPhase::delayed &&
               (awaited >> other.step & 1);
    });
}
void drop_state(RunCore& run, Handle token) {
    // An observer of the step's end may have sent an event without a question, which begins a step.
    for (Handle h : run.state.tokens.used()) {
        const Token& other = run.state.tokens[h];
        if (h != token && other.cell != none && other.phase <= TokenPhase::running)
            report_unhandled(run, run.definition->events[run.cells[other.cell].type].name);
    }
    Commands commands;
    reduce(run.definition->plan, run.state, {.kind = Tick::finished, .token = token}, commands);
    std::set<Handle> cells;  // a cell may have several consumers
    for (Handle h : run.state.tokens.used())
        if (run.state.tokens[h].phase != TokenPhase::question && run.state.tokens[h].cell != none)
            cells.insert(run.state.tokens[h].cell);
    const auto add = [&](const Commands& all, std::uint32_t from) {
        for (auto i = from; i < all.size(); ++i)
            if (all[i].cell != none) cells.insert(all[i].cell);
    };
    add(commands, 0);
    if (run.commands) {
        add(*run.commands, run.commands->done);
        run.commands->clear();
        run.commands->done = 0;
    }
    for (Handle cell : cells) run.cells.discard(cell);
    State empty(run.definition->plan);
    empty.asked = run.state.asked;
    run.state = std::move(empty);
    run.slots.clear();
    if (auto* x = run.extras) {
        x->began.reset();
        x->branches.clear();
        x->keys = {};
        if (x->progress) x->progress.emplace();
    }
}
}
