// Checksums detect damaged snapshots. The reader checks the content too, like a fold checks its ticks.
#include "engine/core/kept_state.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/json/walk.hpp"

namespace weft::core {

namespace {
// Every handle must be valid, and no list may contain an item twice, else the reducer might never end.
class SnapshotReader {
public:
    SnapshotReader(const Plan& plan, const KeptState& kept, std::size_t events)
        : plan_(plan), kept_(kept), events_(events), state_(plan) {}
    State read() {
        need(kept_.lanes.size() == state_.lanes.size(), "its lanes belong to other steps");
        fill(state_.groups, kept_.groups, kept_.free_groups);
        std::vector<Token> tokens;
        for (auto& kept : kept_.tokens) tokens.push_back(token(kept));
        fill(state_.tokens, tokens, kept_.free_tokens);
        for (std::size_t i = 0; i < kept_.lanes.size(); ++i) state_.lanes[i] = kept_.lanes[i];
        if (kept_.meeting) {
            auto& m = state_.meeting.make();
            fill(m.partials, kept_.meeting->partials, kept_.meeting->free_partials);
            m.first_partial = kept_.meeting->first_partial;
            m.tokens = kept_.meeting->tokens;
            m.groups = kept_.meeting->groups;
            m.tokens_of = kept_.meeting->tokens_of;
            m.within = kept_.meeting->within;
        }
        state_.live = kept_.live;
        state_.asked = kept_.asked;
        if (kept_.ending) read_ending(*kept_.ending);
        check();
        return std::move(state_);
    }

private:
    static void need(bool holds, const std::string& problem) {
        if (!holds) throw Error(Code::journal, "a snapshot cannot be read: " + problem);
    }
    template <class T, std::uint32_t inside>
    static void fill(Records<T, inside>& records, const std::vector<T>& used, const std::vector<Handle>& free) {
        std::vector<bool> is_free(used.size() + free.size());
        for (Handle h : free) {
            need(h < is_free.size() && !is_free[h], "a free handle occurs twice");
            is_free[h] = true;
        }
        records.fill(used, free);
    }
    Token token(const KeptToken& kept) const {
        const auto phase = TokenPhase(kept.phase);
        const bool asks = phase == TokenPhase::question;
        need(kept.phase <= std::uint8_t(TokenPhase::kept), "a token has an unknown phase");
        need(kept.step < (asks ? plan_.events.size() : plan_.steps.size()), "a token has an unknown step");
        need(!asks || (plan_.events[kept.step].role == EventRole::request && kept.asks < events_),
             "a question has no request event");
        need(asks || kept.cell == none || kept.cell < events_, "a token has an unknown event");
        need(phase != TokenPhase::kept || kept.cell != none, "a kept token has no event");
        need(phase != TokenPhase::delayed || kept.delay, "a delayed token has no date");
        Token token;
        token.cell = kept.cell;
        token.items = kept.items;
        token.next = kept.next;
        token.place = kept.place;
        token.step = kept.step & 0xfffu;
        token.phase = phase;
        token.dropped = kept.dropped;
        token.attempts = kept.attempts;
        token.recoveries = kept.recoveries;
        return token;
    }
    void read_ending(const KeptEnding& ending) {
        need(ending.phase <= std::uint8_t(EndingPhase::undoing) && ending.status > std::uint8_t(RunStatus::done) &&
                 ending.status <= std::uint8_t(RunStatus::cancelled) &&
                 (ending.culprit == no_step || ending.culprit < plan_.steps.size()),
             "its ending is invalid");
        state_.ending = EndingPhase(ending.phase);
        state_.ends_as = RunStatus(ending.status);
        state_.culprit = ending.culprit;
    }
    template <class T> static void inside(const T& all, Handle h) {
        need(h == none || h < all.size(), "a list has an invalid handle");
    }
    void list(Handle first, const char* what) {  // checks a list of tokens; a token is in one list only
        for (Handle h = first; h != none; h = state_.tokens[h].next) {
            need(h < token_used_.size() && token_used_[h], std::string("a list of ") + what + " has a free handle");
            need(!listed_[h], std::string("a list of ") + what + " has a token twice");
            listed_[h] = true;
        }
    }
    void partials(Handle first) {
        for (Handle h = first; h != none; h = state_.meeting->partials[h].next) {
            need(h < partial_used_.size() && partial_used_[h] && !met_[h], "a list of parts is invalid");
            met_[h] = true;
            const Partial& partial = state_.meeting->partials[h];
            need(partial.step < plan_.steps.size(), "a join has an unknown step");
            inside(state_.tokens, partial.last);
            list(partial.first, "parts");
        }
    }
    void check() {
        token_used_ = state_.tokens.in_use();
        group_used_ = state_.groups.in_use();
        listed_.resize(token_used_.size());
        if (state_.meeting) partial_used_ = state_.meeting->partials.in_use();
        met_.resize(partial_used_.size());
        for (Handle h = 0; h < token_used_.size(); ++h)
            if (token_used_[h]) check_token(state_.tokens[h]);
        for (std::size_t s = 0; s < state_.lanes.size(); ++s) {
            const Lane& lane = state_.lanes[s];
            need(s >= plan_.steps.size() || lane.free <= plan_.steps[s].workers, "a step has too many free workers");
            inside(state_.tokens, lane.last);
            list(lane.first, "a lane");
        }
        for (Handle g = 0; g < group_used_.size(); ++g)
            if (group_used_[g]) check_group(state_.groups[g]);
        if (state_.meeting) partials(state_.meeting->first_partial);
        if (plan_.has_first) check_members();
    }
    void check_token(const Token& token) {
        inside(state_.tokens, token.next);
        inside(state_.groups, token.place.group);
        need(token.place.group == none || token.phase == TokenPhase::kept || group_used_[token.place.group],
             "a token has an unknown group");  // a kept token may outlive its group
        if (token.phase == TokenPhase::question) return inside(state_.tokens, token.cell);
        if (token.cell != none) return need(token.items == none, "a token has two events");
        list(token.items, "items");
        for (Handle i = token.items; i != none; i = state_.tokens[i].next)
            need(state_.tokens[i].phase == TokenPhase::kept, "an item is not kept");
    }
    void check_group(const Group& group) {
        need(plan_.steps.size() >= 64 || group.collectors >> plan_.steps.size() == 0,
             "a group has an unknown collector");
        inside(state_.tokens, group.last);
        list(group.first, "a group");
        partials(group.partials);
        std::size_t depth = 0;
        for (Handle g = group.place.group; g != none; g = state_.groups[g].place.group)
            need(g < group_used_.size() && group_used_[g] && ++depth <= group_used_.size(),
                 "its groups contain each other, or an unknown group");
    }
    void check_members() {
        if (!state_.meeting) return need(kept_.groups.empty(), "its groups have no members");
        const auto& m = *state_.meeting;
        const auto members = [](const std::vector<Meeting::Member>& all, std::size_t most) {
            need(all.size() <= most, "a group has members that do not exist");
            for (auto& member : all) inside(all, member.before), inside(all, member.after);
        };
        members(m.tokens, token_used_.size());
        members(m.groups, group_used_.size());
        need(m.tokens_of.size() == m.within.size(), "its groups have no members");
        for (Handle g = 0; g < m.tokens_of.size(); ++g) inside(m.tokens, m.tokens_of[g]), inside(m.groups, m.within[g]);
        for (Handle g = 0; g < group_used_.size(); ++g)
            need(!group_used_[g] ||
                     (g < m.within.size() && (state_.groups[g].place.group == none || g < m.groups.size())),
                 "a group has no members");
        for (Handle h = 0; h < token_used_.size(); ++h)
            need(!token_used_[h] || state_.tokens[h].place.group == none || h < m.tokens.size() ||
                     state_.tokens[h].phase == TokenPhase::kept,
                 "a token is not a member of its group");
    }
    const Plan& plan_;
    const KeptState& kept_;
    const std::size_t events_;
    State state_;
    std::vector<bool> token_used_, group_used_, partial_used_, listed_, met_;
};
}
Fold fold_of(NamedPlan plan, std::shared_ptr<const journal::SnapshotRecord> snapshot) {
    KeptState kept;
    json_detail::read(json_detail::shape_of<KeptState>, snapshot->state, &kept, json_detail::Path("state"));
    const auto events = Handle(snapshot->events.size());
    State state = SnapshotReader(plan.plan, kept, events).read();
    const auto used = state.tokens.used();
    std::string culprit;
    if (kept.ending && state.culprit != no_step) culprit = plan.steps[state.culprit];
    Fold fold(std::move(plan), std::move(state), events, std::move(snapshot));
    if (auto& e = kept.ending) fold.failure = {culprit, e->error, e->code, e->attempts, e->active_steps, {}};
    if (kept.ending) fold.prolongations = kept.ending->prolongations;
    auto token = kept.tokens.begin();
    for (Handle h : used) {
        if (token->asks != none) fold.asked[h] = token->asks;
        if (token->delay) fold.delays[h] = *token->delay;
        grown(fold.invocations, h) = {.born = token->born};  // also 0: by the run's first tick
        ++token;
    }
    fold.deadline = kept.deadline;
    fold.timeout = kept.timeout;
    fold.values = kept.values.text;
    fold.first = kept.first.value_or(0);
    return fold;
}
}
