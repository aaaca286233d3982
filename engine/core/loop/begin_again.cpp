// The number of questions goes on, so that an answer to an earlier question never answers a later one.
#include "engine/core/loop/begin_again.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include <set>

namespace weft::core {
namespace {
/// What keeps the run from beginning again; empty: nothing.
std::string obstacle_of(const RunCore& run, Handle own) {
    const auto& d = *run.definition;
    for (Handle h : run.state.tokens.used()) {
        const Token& token = run.state.tokens[h];
        if (h == own || token.phase == TokenPhase::kept) continue;
        if (token.phase == TokenPhase::question)
            return "the question " + std::string(d.events[token.step].name) + " is open";
        return "step " + std::string(d.steps[token.step].name) + " is still at work";
    }
    const auto* x = run.extras;
    if (!x) return {};
    if (x->parent) return "it is a child run: let its caller run it again";
    if (x->track)
        for (const auto* other : x->track->log->family)
            if (other != &run) return "its child run of " + std::string(other->definition->name) + " is still at work";
    return {};
}
TypeIndex type_of(const RunCore& run, const Published& event) {
    const auto& all = run.definition->events;
    for (std::size_t t = 0; t < all.size(); ++t)
        if (all[t].is_start && all[t].id == event.type->id) return TypeIndex(t);
    return no_type;
}
}
Emitted put_next_start(RunCore& run, Handle token, NextStart& next) {
    Published& event = *next.event;
    const auto& d = *run.definition;
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::usage, "step " + std::string(d.steps[run.state.tokens[token].step].name) +
                                     " cannot begin its run again with " + std::string(event.type->name) + ": " + why);
    };
    const auto type = type_of(run, event);
    if (type == no_type) refuse("the workflow " + std::string(d.name) + " begins with another event");
    if (const auto obstacle = obstacle_of(run, token); !obstacle.empty()) refuse(obstacle);
    const auto start = d.events[type].put(run, type, const_cast<void*>(event.type->event(&event)));
    if (run.extras && run.extras->track) try {
            (void)record_event(run, start.cell);
        } catch (...) {
            run.cells.discard(start.cell);
            throw;
        }
    return start;
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
