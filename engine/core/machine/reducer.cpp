// Every decision of the engine, case by case; reducer.hpp has the common case.
#include "engine/core/machine/reducer.hpp"
#include "engine/core/machine/ending.hpp"
#include "engine/core/machine/members.hpp"
#include "engine/core/machine/token_lists.hpp"
#include <algorithm>
#include <bit>
#include <cassert>

namespace weft::core {
namespace {
struct Reducer {
    const Plan& plan;
    State& state;
    Commands& out;

    void start(Lane& lane, StepIndex step, Handle token) {
        --lane.free;
        state.tokens[token].phase = TokenPhase::running;
        out.push_back({Command::invoke, step, token});
    }
    // Field by field: g++ 12 rejects braces for a struct with bit-fields that have defaults.
    static Token token_of(Handle cell, Handle items, Place place, StepIndex step, std::uint8_t recoveries,
                          TokenPhase phase) {
        Token token;
        token.cell = cell;
        token.items = items;
        token.place = place;
        token.step = step;
        token.phase = phase;
        token.recoveries = recoveries;
        return token;
    }
    // The arguments stay in registers, because nearly every event comes here.
    void enqueue(Handle cell, Handle items, Place place, StepIndex step, std::uint8_t recoveries) {
        Lane& lane = state.lanes[step];
        const bool starts = lane.free > 0 && lane.first == none;
        const auto phase = starts ? TokenPhase::running : TokenPhase::queued;
        const Handle h = state.tokens.make(token_of(cell, items, place, step, recoveries, phase));
        ++state.live;
        join_group(h, place.group);
        if (!starts) return append(lane, h);
        --lane.free;
        out.push_back({Command::invoke, step, h});
    }
    void start_or_wait(Handle h) {
        Token& token = state.tokens[h];
        Lane& lane = state.lanes[token.step];
        if (lane.free > 0 && lane.first == none) return start(lane, token.step, h);
        token.phase = TokenPhase::queued;
        append(lane, h);
    }
    template <class List> void append(List& list, Handle h) {
        if (list.first == none) list.first = h;
        else state.tokens[list.last].next = h;
        list.last = h;
    }
    [[gnu::always_inline]] void join_group(Handle h, Handle group) {  // marks the token as open in the group
        if (group == none) return;
        ++state.groups[group].open;
        ++state.branches.open;
        if (plan.has_first) [[unlikely]]
            members().add_token(group, h);
    }
    void leave_group(Handle h) {
        if (!plan.has_first) [[likely]]
            return;
        const Handle group = state.tokens[h].place.group;
        if (group != none) members().remove_token(group, h);
    }
    Members members() { return {state.meeting.make()}; }
    void discard(Handle cell) { out.push_back({Command::discard, 0, none, cell}); }
    void keep(const Token& token) {  // for its group's collector
        Group& group = state.groups[token.place.group];
        if (group.first != none) group.sorted &= state.tokens[group.last].place.index <= token.place.index;
        append(group, state.tokens.make(token));
    }
    [[gnu::always_inline]] void deliver(Consumer to, Handle cell, Place place, std::uint8_t recoveries) {
        const Takes takes = plan.steps[to.step].takes;
        if (takes == Takes::one) return enqueue(cell, none, place, to.step, recoveries);
        const Token token = token_of(cell, none, place, to.step, recoveries, TokenPhase::kept);
        if (takes == Takes::all && place.group != none) return keep(token);
        gather(token, takes, to.part);
    }
    [[gnu::noinline]] void gather(Token token, Takes takes, std::uint16_t part) {
        if (takes == Takes::parts) return join(token, part);
        const Place place = token.place;
        if (place.group != none) {
            Group& group = state.groups[place.group];
            const auto most = plan.steps[token.step].first;
            Partial& has = partial(group.partials, token.step, 0);
            if (has.count == most) return discard(token.cell);
            if (++has.count == most) group.enough = true;
            return keep(token);
        }
        const auto recoveries = std::exchange(token.recoveries, std::uint8_t{0});
        const Handle item = state.tokens.make(token);  // outside a fan-out: a collection of one
        enqueue(none, item, place, token.step, recoveries);
    }

    // --- joins ---
    Partial& partial(Handle& list, StepIndex step, std::uint16_t part) {
        auto& all = state.meeting.make().partials;
        for (Handle h = list; h != none; h = all[h].next)
            if (all[h].step == step && all[h].part == part) return all[h];
        list = all.make({.step = step, .part = part, .next = list});
        return all[list];
    }
    Handle& partials_of(Handle group) {
        return group == none ? state.meeting.make().first_partial : state.groups[group].partials;
    }
    // When each part has an event, the oldest events of all parts make an invocation, in the place of their first
    // branch.
    void join(const Token& token, std::uint16_t part) {
        Handle& list = partials_of(token.place.group);
        append(partial(list, token.step, part), state.tokens.make(token));
        const auto parts = plan.steps[token.step].parts;
        for (std::uint16_t p = 0; p < parts; ++p)
            if (partial(list, token.step, p).first == none) return;
        Token joined = token_of(none, none, token.place, token.step, 0, TokenPhase::queued);
        for (std::uint16_t p = parts; p-- > 0;) {
            Partial& waiting = partial(list, token.step, p);
            const Handle h = waiting.first;
            Token& item = state.tokens[h];
            waiting.first = item.next;
            item.next = joined.items;
            joined.items = h;
            joined.place.index = std::min(joined.place.index, item.place.index);
            joined.recoveries = std::max(joined.recoveries, item.recoveries);
        }
        enqueue(none, joined.items, joined.place, joined.step, joined.recoveries);
    }
    void drop_partials(Handle list) {  // drops events whose join can no longer complete
        for (Handle p = list; p != none;) {
            const Partial partial = state.meeting->partials[p];
            drop_kept(partial.first);
            state.meeting->partials.drop(p);
            p = partial.next;
        }
    }
    void drop_kept(Handle list) {
        for (Handle h = list; h != none;) {
            const Handle next = state.tokens[h].next;
            discard(state.tokens[h].cell);
            state.tokens.drop(h);
            h = next;
        }
    }

    // --- questions ---
    void ask(Emitted e, Place place, std::uint8_t recoveries) {
        Lane& open = state.lanes[plan.events[e.type].lane];
        const std::uint32_t serial = state.asked++;
        const Handle before = open.first == none ? none : open.last;
        const Handle h = state.tokens.make(token_of(before, serial, place, e.type, recoveries, TokenPhase::question));
        append(open, h);
        join_group(h, place.group);
        out.push_back({Command::publish, 0, h, e.cell, serial});
    }
    Token answered(Handle h) {  // closes a question
        leave_group(h);
        const Token question = state.tokens[h];
        Lane& open = state.lanes[plan.events[question.step].lane];
        (question.cell == none ? open.first : state.tokens[question.cell].next) = question.next;
        (question.next == none ? open.last : state.tokens[question.next].cell) = question.cell;
        drop(h);
        return question;
    }
    void drop(Handle h) {
        Token& token = state.tokens[h];
        token.phase = TokenPhase::queued;  // an old handle sees neither a question nor a dropped token
        token.dropped = false;
        state.tokens.drop(h);
    }
    void route(Emitted e, Place place, std::uint8_t recoveries) {
        const EventPlan& event = plan.events[e.type];
        if (event.role == EventRole::plain) [[likely]] {
            for (std::uint16_t i = 0; i < event.count; ++i)
                deliver(plan.consumers[event.first + i], e.cell, place, recoveries);
        } else if (event.role == EventRole::request) ask(e, place, recoveries);
        else if (state.status == RunStatus::running) {  // the first stop event wins
            if (state.ending != EndingPhase::not_begun) discard(e.cell);
            else state.result = e.cell;
            end(RunStatus::done);
        }
    }
    void end(RunStatus status) {  // an ending has its status already
        state.status = state.ending == EndingPhase::not_begun ? status : state.ends_as;
        out.push_back({Command::end});
    }

    // --- the ending of a run with an undo step ---
    void begin_ending(RunStatus status, const Emitted& e) {
        state.ends_as = status;
        state.ending = EndingPhase::abandoning;
        abandon_all(state, out);
        const StepIndex undo = plan.consumers[plan.events[e.type].first].step;
        append(state.lanes[undo], state.tokens.make(token_of(e.cell, none, {}, undo, 0, TokenPhase::queued)));
        ++state.live;
    }
    bool is_ending(const Emitted& e) const { return plan.events[e.type].role == EventRole::ending; }
    void end_or_undo(RunStatus status, std::span<const Emitted> events) {
        if (events.empty() || state.ending != EndingPhase::not_begun) return end(status);
        begin_ending(status, events.front());
    }
    void go_on_ending() {
        if (state.status != RunStatus::running) return;
        if (state.ending == EndingPhase::abandoning && state.live == 1) {  // the undo step's token
            state.ending = EndingPhase::undoing;
            for (std::size_t step = 0; step < plan.steps.size(); ++step) next(StepIndex(step));
        }
        if (state.ending == EndingPhase::undoing && state.live == 0 && !has_question(plan, state)) end(state.ends_as);
    }

    void leave(Handle group) {  // a member of the group has ended
        while (group != none && closes(group)) group = settle(group);
    }
    bool closes(Handle group) {
        --state.branches.open;
        return --state.groups[group].open == 0 || state.groups[group].enough;
    }
    Handle settle(Handle h) {  // returns the outer group, in which the collectors now run and this group has ended
        if (state.groups[h].enough) abandon(h);
        const Group group = state.groups[h];
        drop_partials(group.partials);
        drop_group(h);
        Handle first = group.sorted ? group.first : sorted_tokens(state, group.first);
        const auto collect = [&](StepIndex step) {
            std::uint8_t recoveries = group.recoveries;
            const Handle items = take_tokens(state, first, step, recoveries);
            enqueue(none, items, group.place, step, recoveries);
        };
        for (auto bits = group.collectors; bits; bits &= bits - 1) collect(StepIndex(std::countr_zero(bits)));
        while (first != none) collect(state.tokens[first].step);  // steps that only a rescue leads to
        return group.place.group;
    }
    void drop_group(Handle h) {
        const Handle outer = state.groups[h].place.group;
        if (plan.has_first && outer != none) members().remove_group(outer, h);
        state.branches.open -= state.groups[h].open;  // its cancelled members
        state.groups.drop(h);
    }
    Handle make_group(const Group& group) {
        const Handle h = state.groups.make(group);
        state.branches.open += group.open;
        if (plan.has_first) members().open_group(h);
        if (plan.has_first && group.place.group != none) members().add_group(group.place.group, h);
        return h;
    }
    void abandon(Handle outermost) {  // cancels the open members of a group and of its inner groups, innermost first
        for (Handle h = outermost;;) {
            for (Handle t; (t = state.meeting->tokens_of[h]) != none;) abandon_token(t);
            if (const Handle inner = state.meeting->within[h]; inner != none) {
                h = inner;
                continue;
            }
            if (h == outermost) return;
            const Group group = state.groups[h];
            drop_kept(group.first);
            drop_partials(group.partials);
            drop_group(h);
            h = group.place.group;
        }
    }
    void abandon_token(Handle h) {
        if (state.tokens[h].phase == TokenPhase::question) return void(answered(h));
        leave_group(h);
        Token& token = state.tokens[h];
        token.place = {};
        token.dropped = true;  // a queued token is removed when its turn comes
        if (token.phase != TokenPhase::queued) out.push_back({Command::cancel, token.step, h});
    }
    [[gnu::always_inline]] Token retire(Handle h) {  // ends an invocation and frees its worker
        leave_group(h);
        const Token token = state.tokens[h];
        for (Handle i = token.items; i != none;) {
            Handle next = state.tokens[i].next;
            state.tokens.drop(i);
            i = next;
        }
        if (token.phase == TokenPhase::running) ++state.lanes[token.step].free;
        drop(h);
        --state.live;
        return token;
    }
    [[gnu::always_inline]] void next(StepIndex step) {
        Lane& lane = state.lanes[step];
        if (lane.first == none || lane.free == 0) return;
        if (state.tokens[lane.first].dropped) [[unlikely]]
            if (!skip_dropped(lane)) return;
        const Handle h = lane.first;
        lane.first = state.tokens[h].next;
        start(lane, step, h);
    }
    [[gnu::noinline]] bool skip_dropped(Lane& lane) {  // returns whether another token waits
        while (lane.first != none && state.tokens[lane.first].dropped) {
            const Handle h = lane.first;
            lane.first = state.tokens[h].next;
            if (state.tokens[h].cell != none) discard(state.tokens[h].cell);
            for (Handle i = state.tokens[h].items; i != none; i = state.tokens[i].next) discard(state.tokens[i].cell);
            retire(h);
        }
        return lane.first != none;
    }
    void finished(const Tick& tick) {
        const Token token = retire(tick.token);
        if (state.status != RunStatus::running) return;  // results after the end are dropped
        const FanOutPlan* fan = tick.fan_out ? &plan.fan_outs[plan.steps[token.step].first_fan + tick.fan_out - 1]
                                             : nullptr;
        if (fan && (fan->collectors || fan->meets)) {
            const Handle g = make_group(
                {.place = token.place, .recoveries = token.recoveries, .collectors = fan->collectors});
            state.branches.begun += tick.events.size();
            for (std::uint32_t i = 0; i < tick.events.size(); ++i) route(tick.events[i], {g, i}, token.recoveries);
            leave(g);  // the new group replaces its maker in the outer group
        } else {
            for (auto& e : tick.events) route(e, token.place, token.recoveries);
            leave(token.place.group);
        }
        if (state.status == RunStatus::running) next(token.step);
    }
    void failed(const Tick& tick) {
        Token& running = state.tokens[tick.token];
        if (tick.retry && state.status == RunStatus::running) {  // frees its worker until the retry is due
            if (running.attempts < 255) ++running.attempts;
            running.phase = TokenPhase::delayed;
            ++state.lanes[running.step].free;
            return next(running.step);
        }
        const Token token = retire(tick.token);
        if (state.status != RunStatus::running) return;
        const bool is_unhandled = tick.events.empty() || is_ending(tick.events.front());
        if (is_unhandled && state.ending == EndingPhase::not_begun) state.culprit = token.step;
        if (is_unhandled) return end_or_undo(RunStatus::failed, tick.events);
        deliver({plan.steps[token.step].handler}, tick.events.front().cell, token.place,
                std::uint8_t(token.recoveries + 1));
        leave(token.place.group);
        if (state.status == RunStatus::running) next(token.step);
    }
    void dropped(Handle h) {
        const StepIndex step = retire(h).step;
        if (state.status == RunStatus::running) next(step);
    }
    void due(Handle h) {
        if (state.status != RunStatus::running) return;
        state.tokens[h].next = none;
        start_or_wait(h);
    }
    void arrived(Emitted e, QuestionId id) {
        if (state.status != RunStatus::running) return;
        const TypeIndex answers = plan.events[e.type].answers;
        const bool is_open = state.ending == EndingPhase::not_begun;  // else it takes only answers to its questions
        if (is_open && answers == no_type) return route(e, {}, 0);
        const Handle h = answered_question(plan, state, e.type, id);
        if (h != none) {
            const Token question = answered(h);
            route(e, question.place, question.recoveries);  // the answer continues in the question's place
            leave(question.place.group);
        } else if (is_open && id == QuestionId::none && (answers == any_question || answers == signals))
            route(e, {}, 0);
        else unhandled(e);
    }
    void ended(const Tick& tick) {
        if (state.status != RunStatus::running) return;
        if (tick.status == RunStatus::failed && state.ending == EndingPhase::not_begun) state.culprit = no_step;
        end_or_undo(tick.status, tick.events);
    }
    void unhandled(const Emitted& e) { out.push_back({Command::unhandled, e.type, none, e.cell}); }
};
}

StepIndex handler_of(const Plan& plan, const State& state, Handle h) {
    const Token& token = state.tokens[h];
    const StepIndex handler = plan.steps[token.step].handler;
    return handler != no_step && token.recoveries < plan.steps[handler].recoveries ? handler : no_step;
}
void decide(const Plan& plan, State& state, const Tick& tick, Commands& out) {
    [[maybe_unused]] const auto has_phase = [&](TokenPhase phase) { return state.tokens[tick.token].phase == phase; };
    assert(tick.token == none || tick.token < state.tokens.size());
    assert(tick.kind != Tick::arrived || tick.events.size() == 1);
    assert((tick.kind != Tick::finished && tick.kind != Tick::failed) || has_phase(TokenPhase::running));
    assert(tick.kind != Tick::due || has_phase(TokenPhase::delayed));
    assert(tick.kind != Tick::dropped || state.tokens[tick.token].dropped);
    Reducer r{plan, state, out};
    switch (tick.kind) {
    case Tick::arrived: r.arrived(tick.events.front(), tick.question); break;
    case Tick::finished: r.finished(tick); break;
    case Tick::failed: r.failed(tick); break;
    case Tick::due: r.due(tick.token); break;
    case Tick::dropped: r.dropped(tick.token); break;
    case Tick::ended: r.ended(tick); break;
    }
    if (state.ending != EndingPhase::not_begun) [[unlikely]]
        r.go_on_ending();
}
}
