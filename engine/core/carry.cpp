// Only live items must exist in the new declaration: tokens in use, open groups, events that a join keeps.
#include "engine/core/carry.hpp"
#include "engine/core/graph/plan_ranges.hpp"
#include "engine/core/machine/members.hpp"
#include <algorithm>
#include <optional>
#include <utility>

namespace weft::core {
namespace {
class Carrier {
public:
    Carrier(const State& old, const std::vector<TypeIndex>& types, const NamedPlan& from, const NamedPlan& to,
            const Renames& renames)
        : old_(old), types_(types), from_(from), to_(to), renames_(renames), carried_{old, {}, {}} {}

    Carried carry() {
        carried_.state.lanes = State(to_.plan).lanes;
        refuse_equal_names(from_.steps, "step");
        refuse_equal_names(from_.events, "event");
        check_fan_outs();
        carry_tokens();
        carry_groups();
        carry_partials();
        carry_lanes();
        carry_members();
        carry_ending();
        return std::move(carried_);
    }

private:
    static void add(std::vector<std::string>& list, const std::string& text) {
        if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
    }
    template <class Index>
    std::optional<Index> find(const std::vector<std::string>& all, const std::string& former) const {
        const auto found = std::find(all.begin(), all.end(), present_name(former, renames_));
        if (found == all.end()) return {};
        return Index(found - all.begin());
    }
    /// Empty: the name was added to the missing ones.
    template <class Index>
    std::optional<Index> index_of(const std::vector<std::string>& all, const std::string& former, const char* what) {
        const auto name = present_name(former, renames_);
        const auto found = find<Index>(all, former);
        if (found) refuse_if_taken(former, name, what);
        else add(carried_.missing, std::string(what) + " " + name);
        return found;
    }
    void refuse_if_taken(const std::string& former, const std::string& name, const std::string& what) {
        const auto [first, is_new] = by_present_name_.try_emplace(what + " " + name, former);
        if (!is_new && first->second != former)
            add(carried_.changed, first->second + " and " + former + " cannot both be called " + name + " now");
    }
    void refuse_equal_names(const std::vector<std::string>& all, const char* what) {
        for (auto& former : all)
            if (renames_.contains(former)) refuse_if_taken(former, renames_.at(former), what);
    }
    std::optional<StepIndex> step(StepIndex former) {
        return index_of<StepIndex>(to_.steps, from_.steps[former], "step");
    }
    std::optional<TypeIndex> event(TypeIndex former) {
        return index_of<TypeIndex>(to_.events, from_.events[former], "event");
    }
    const StepPlan& before(StepIndex s) const { return from_.plan.steps[s]; }
    const StepPlan& now(StepIndex s) const { return to_.plan.steps[s]; }

    void carry_tokens() {
        const auto used = old_.tokens.in_use();
        for (Handle h = 0; h < used.size(); ++h) {
            Token& token = carried_.state.tokens[h];
            const StepIndex former = token.step;
            token.step = 0;
            if (!used[h]) continue;
            if (token.phase == TokenPhase::question) token.step = question(former).value_or(0);
            else if (const auto s = step(former)) {
                token.step = *s;
                if (!check_takes(former, *s)) continue;
                if (token.cell != none) check_event(types_.at(token.cell), *s);
                else check_list(former, *s, token.items);
            }
        }
    }
    std::optional<TypeIndex> question(TypeIndex former) {
        const auto type = event(former);
        if (!type) return {};
        if (to_.plan.events[*type].role != EventRole::request) add(carried_.missing, "question " + to_.events[*type]);
        else if (is_answered(from_.plan, former) && !is_answered(to_.plan, *type))
            add(carried_.changed, to_.events[*type] + " is an open question, and no event answers it now");
        return type;
    }
    static bool is_answered(const Plan& plan, TypeIndex question) {
        return std::any_of(plan.events.begin(), plan.events.end(),
                           [&](auto& event) { return event.answers == question || event.answers == any_question; });
    }
    // The call of a step does not check the types of its events, so this check must.
    void check_event(TypeIndex former, StepIndex s) {
        const auto type = find<TypeIndex>(to_.events, from_.events[former]);
        const auto name = present_name(from_.events[former], renames_);
        if (!type) return add(carried_.missing, "event " + name);
        for (auto& consumer : consumers_of(to_.plan, *type))
            if (consumer.step == s) return;
        add(carried_.changed, "step " + to_.steps[s] + " has been given " + name + ", which it does not accept now");
    }
    bool check_takes(StepIndex former, StepIndex s) {
        if (before(former).takes == now(s).takes) return true;
        add(carried_.changed, "step " + to_.steps[s] +
                                  " has been given its events in another form (one, several together, or a list) "
                                  "than it takes now");
        return false;
    }
    /// Checks the list of events that a collector or a join was given.
    void check_list(StepIndex former, StepIndex s, Handle items) {
        if (now(s).takes == Takes::parts && joined_before(former) != joined_now(s)) refuse_join(former, s);
        if (now(s).takes != Takes::first) return;
        std::uint32_t given = 0;
        for (Handle h = items; h != none; h = old_.tokens[h].next) ++given;
        if (given > now(s).first) refuse_quorum(s, given);
    }
    void refuse_join(StepIndex former, StepIndex s) {
        add(carried_.changed, "step " + to_.steps[s] + " joins " + listed(joined_now(s)) +
                                  " now, but joined other events before: " + listed(joined_before(former)));
    }
    void refuse_quorum(StepIndex s, std::uint32_t come) {
        add(carried_.changed, "step " + to_.steps[s] + " now runs with the first " + std::to_string(now(s).first) +
                                  " branches, and " + std::to_string(come) + " have come already");
    }
    // A join's events in order, by their present names.
    std::vector<std::string> joined_before(StepIndex s) const {
        auto names = joined(from_, s);
        for (auto& name : names) name = present_name(name, renames_);
        return names;
    }
    std::vector<std::string> joined_now(StepIndex s) const { return joined(to_, s); }
    static std::vector<std::string> joined(const NamedPlan& named, StepIndex s) {
        std::vector<std::string> names(named.plan.steps[s].parts);
        for (TypeIndex e = 0; e < TypeIndex(named.plan.events.size()); ++e)
            for (auto& consumer : consumers_of(named.plan, e))
                if (consumer.step == s) names[consumer.part] = named.events[e];
        return names;
    }
    static std::string listed(const std::vector<std::string>& names) {
        std::string text;
        for (std::size_t i = 0; i < names.size(); ++i)
            (text += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") += names[i];
        return text;
    }
    // Branches in flight belong to no group if nothing collected them when they began.
    void check_fan_outs() {
        if (old_.tokens.used().empty()) return;
        for (StepIndex s = 0; s < StepIndex(from_.steps.size()); ++s) {
            const auto present = find<StepIndex>(to_.steps, from_.steps[s]);
            if (!present) continue;
            const auto former = fan_outs_of(from_.plan, s), fans = fan_outs_of(to_.plan, *present);
            for (std::size_t i = 0; i < std::min(former.size(), fans.size()); ++i)
                if (!makes_group(former[i]) && makes_group(fans[i]))
                    add(carried_.changed, "the branches of step " + to_.steps[*present] +
                                              " are collected now, but those in progress were not");
        }
    }
    static bool makes_group(const FanOutPlan& fan) { return fan.collectors || fan.meets; }
    void carry_groups() {
        for (Handle h : old_.groups.used()) {
            std::uint64_t collectors = 0;
            for (StepIndex s = 0; s < StepIndex(from_.steps.size()); ++s)
                if (old_.groups[h].collectors >> s & 1)
                    if (const auto present = step(s)) {
                        check_takes(s, *present);
                        collectors |= std::uint64_t{1} << *present;
                    }
            carried_.state.groups[h].collectors = collectors;
        }
    }
    void carry_partials() {
        if (!old_.meeting) return;
        carry_partials(carried_.state.meeting->first_partial);
        for (Handle h : old_.groups.used()) carry_partials(carried_.state.groups[h].partials);
    }
    void carry_partials(Handle& list) {
        auto& all = carried_.state.meeting->partials;
        for (Handle* at = &list; *at != none;) {
            Partial& partial = all[*at];
            if (partial.first != none || partial.count > 0) {
                carry_partial(partial);
                at = &partial.next;
            } else {  // nothing waits there: the step may join other events now
                const Handle empty = *at;
                *at = partial.next;
                all.drop(empty);
            }
        }
    }
    void carry_partial(Partial& partial) {
        const StepIndex former = std::exchange(partial.step, StepIndex(0));
        const auto s = step(former);
        if (!s) return;
        partial.step = *s;
        if (!check_takes(former, *s)) return;
        if (now(*s).takes == Takes::parts) {
            const auto was = joined_before(former), is = joined_now(*s);
            if (!std::is_permutation(was.begin(), was.end(), is.begin(), is.end())) return refuse_join(former, *s);
            partial.part = std::uint16_t(std::find(is.begin(), is.end(), was[partial.part]) - is.begin());
        } else if (partial.count >= now(*s).first) refuse_quorum(*s, partial.count);
    }
    void carry_lanes() {
        auto& lanes = carried_.state.lanes;
        for (StepIndex s = 0; s < StepIndex(from_.steps.size()); ++s) {
            const Lane& former = old_.lanes[s];
            const auto busy = before(s).workers - former.free;
            if (former.first == none && busy == 0) continue;
            const auto present = step(s);
            if (!present) continue;
            Lane& lane = lanes[*present];
            lane.first = former.first;
            lane.last = former.last;
            lane.free -= std::min(busy, lane.free);
        }
        for (TypeIndex e = 0; e < TypeIndex(from_.plan.events.size()); ++e) {
            const auto& asked = from_.plan.events[e];
            if (asked.role != EventRole::request || old_.lanes[asked.lane].first == none) continue;
            const auto type = question(e);
            if (type && to_.plan.events[*type].role == EventRole::request)
                lanes[to_.plan.events[*type].lane] = old_.lanes[asked.lane];
        }
        requeue_surplus();
    }
    // With fewer workers than before, the surplus tokens wait again, in front of all others.
    void requeue_surplus() {
        std::vector<std::uint32_t> running(to_.steps.size());
        for (Handle h : old_.tokens.used()) {
            Token& token = carried_.state.tokens[h];
            if (token.phase != TokenPhase::running) continue;
            if (++running[token.step] <= now(token.step).workers) continue;
            Lane& lane = carried_.state.lanes[token.step];
            token.phase = TokenPhase::queued;
            token.next = lane.first;
            if (lane.first == none) lane.last = h;
            lane.first = h;
        }
    }
    // Only plans with quorums list the members of groups.
    void carry_members() {
        State& state = carried_.state;
        if (from_.plan.has_first == to_.plan.has_first) return;
        if (!to_.plan.has_first) {
            if (!state.meeting) return;
            state.meeting->tokens = state.meeting->groups = {};
            state.meeting->tokens_of = state.meeting->within = {};
            return;
        }
        const Members members{state.meeting.make()};
        const auto groups = old_.groups.used();
        for (Handle g : groups) members.open_group(g);
        for (Handle g : groups)
            if (state.groups[g].place.group != none) members.add_group(state.groups[g].place.group, g);
        for (Handle h : old_.tokens.used())
            if (const Token& token = state.tokens[h]; token.phase != TokenPhase::kept && token.place.group != none)
                members.add_token(token.place.group, h);
    }
    void carry_ending() {
        if (old_.ending == EndingPhase::not_begun || old_.culprit == no_step) return;
        carried_.state.culprit = find<StepIndex>(to_.steps, from_.steps[old_.culprit]).value_or(no_step);
    }
    const State& old_;
    const std::vector<TypeIndex>& types_;
    const NamedPlan &from_, &to_;
    const Renames& renames_;
    std::map<std::string, std::string> by_present_name_;  // former names
    Carried carried_;
};
}
Carried carry(const State& state, const std::vector<TypeIndex>& types, const NamedPlan& from, const NamedPlan& to,
              const Renames& renames) {
    return Carrier(state, types, from, to, renames).carry();
}
std::string present_name(const std::string& former, const Renames& renames) {
    const auto now = renames.find(former);
    return now == renames.end() ? former : now->second;
}
}
