// Only what is live has to be there: tokens in use, open groups, events that a join keeps.
#include "engine/core/carry.hpp"
#include <algorithm>

namespace weft::core {
namespace {
class Carrier {
public:
    Carrier(const State& old, const NamedPlan& from, const NamedPlan& to, const Renames& renames)
        : old_(old), from_(from), to_(to), renames_(renames), carried_{old, {}} {}

    Carried carry() {
        carried_.state.lanes = State(to_.plan).lanes;
        carry_tokens();
        carry_groups();
        carry_partials();
        carry_lanes();
        return std::move(carried_);
    }

private:
    template <class Index>
    Index index_of(const std::vector<std::string>& all, const std::string& former, const char* what) {
        const auto renamed = renames_.find(former);
        const auto& name = renamed == renames_.end() ? former : renamed->second;
        const auto found = std::find(all.begin(), all.end(), name);
        if (found != all.end()) return Index(found - all.begin());
        const auto missing = std::string(what) + " " + name;
        auto& list = carried_.missing;
        if (std::find(list.begin(), list.end(), missing) == list.end()) list.push_back(missing);
        return 0;
    }
    StepIndex step(StepIndex former) { return index_of<StepIndex>(to_.steps, from_.steps[former], "step"); }
    TypeIndex event(TypeIndex former) { return index_of<TypeIndex>(to_.events, from_.events[former], "event"); }

    void carry_tokens() {
        const auto used = old_.tokens.in_use();
        for (Handle h = 0; h < used.size(); ++h) {
            Token& token = carried_.state.tokens[h];
            if (!used[h]) token.step = 0;
            else if (token.phase == Phase::question) token.step = event(token.step);
            else token.step = step(token.step);
        }
    }
    void carry_groups() {
        const auto used = old_.groups.in_use();
        for (Handle h = 0; h < used.size(); ++h) {
            if (!used[h]) continue;
            std::uint64_t collectors = 0;
            for (StepIndex s = 0; s < from_.steps.size(); ++s)
                if (old_.groups[h].collectors >> s & 1) collectors |= std::uint64_t{1} << step(s);
            carried_.state.groups[h].collectors = collectors;
        }
    }
    // A part of a join is the event that it takes.
    std::uint16_t part(StepIndex former, std::uint16_t number) {
        for (TypeIndex e = 0; e < from_.plan.events.size(); ++e)
            for (auto& c : consumers(from_.plan, e))
                if (c.step == former && c.part == number)
                    for (auto& now : consumers(to_.plan, event(e)))
                        if (now.step == step(former)) return now.part;
        carried_.missing.push_back("what step " + from_.steps[former] + " joins");
        return 0;
    }
    static std::span<const Consumer> consumers(const Plan& plan, TypeIndex event) {
        return std::span(plan.consumers).subspan(plan.events[event].first, plan.events[event].count);
    }
    void carry_partials() {
        if (!old_.meeting) return;
        auto& partials = carried_.state.meeting->partials;
        const auto used = old_.meeting->partials.in_use();
        for (Handle h = 0; h < used.size(); ++h) {
            if (!used[h]) continue;
            const auto former = old_.meeting->partials[h];
            partials[h].step = step(former.step);
            if (from_.plan.steps[former.step].takes == Takes::parts) partials[h].part = part(former.step, former.part);
        }
    }
    void carry_lanes() {
        auto& lanes = carried_.state.lanes;
        for (StepIndex s = 0; s < from_.steps.size(); ++s) {
            const Lane& former = old_.lanes[s];
            const auto busy = from_.plan.steps[s].workers - former.free;
            if (former.first == none && busy == 0) continue;
            Lane& lane = lanes[step(s)];
            lane.first = former.first;
            lane.last = former.last;
            lane.free -= std::min(busy, lane.free);
        }
        for (TypeIndex e = 0; e < from_.plan.events.size(); ++e) {
            const auto& asked = from_.plan.events[e];
            if (asked.role != Role::request || old_.lanes[asked.lane].first == none) continue;
            const auto now = event(e);
            if (to_.plan.events[now].role != Role::request) carried_.missing.push_back("question " + to_.events[now]);
            else lanes[to_.plan.events[now].lane] = old_.lanes[asked.lane];
        }
        requeue_surplus();
    }
    // Fewer workers than before: those that are too many wait again, in front of all others.
    void requeue_surplus() {
        const auto used = old_.tokens.in_use();
        std::vector<std::uint32_t> running(to_.steps.size());
        for (Handle h = 0; h < used.size(); ++h) {
            Token& token = carried_.state.tokens[h];
            if (!used[h] || token.phase != Phase::running) continue;
            if (++running[token.step] <= to_.plan.steps[token.step].workers) continue;
            Lane& lane = carried_.state.lanes[token.step];
            token.phase = Phase::queued;
            token.next = lane.first;
            if (lane.first == none) lane.last = h;
            lane.first = h;
        }
    }
    const State& old_;
    const NamedPlan &from_, &to_;
    const Renames& renames_;
    Carried carried_;
};
}
Carried carry(const State& state, const NamedPlan& from, const NamedPlan& to, const Renames& renames) {
    return Carrier(state, from, to, renames).carry();
}
}
