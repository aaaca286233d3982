// Only what is live has to be there: tokens in use, open groups, events that a join keeps.
#include "engine/core/carry.hpp"
#include <algorithm>

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
        carry_tokens();
        carry_groups();
        carry_partials();
        carry_lanes();
        return std::move(carried_);
    }

private:
    static void add(std::vector<std::string>& list, const std::string& text) {
        if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
    }
    template <class Index>
    Index index_of(const std::vector<std::string>& all, const std::string& former, const char* what) {
        const auto name = present_name(former, renames_);
        const auto found = std::find(all.begin(), all.end(), name);
        if (found == all.end()) {
            add(carried_.missing, std::string(what) + " " + name);
            return 0;
        }
        refuse_if_taken(former, name, what);
        return Index(found - all.begin());
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
    StepIndex step(StepIndex former) { return index_of<StepIndex>(to_.steps, from_.steps[former], "step"); }
    TypeIndex event(TypeIndex former) { return index_of<TypeIndex>(to_.events, from_.events[former], "event"); }

    void carry_tokens() {
        const auto used = old_.tokens.in_use();
        for (Handle h = 0; h < used.size(); ++h) {
            Token& token = carried_.state.tokens[h];
            if (!used[h]) token.step = 0;
            else if (token.phase == Phase::question) token.step = event(token.step);
            else {
                const StepIndex former = token.step;
                token.step = step(former);
                check_takes(former, token.step);
                if (token.cell != none) check_event(types_.at(token.cell), token.step);
            }
        }
    }
    // What a step is given is read as what it accepts, without a further look.
    void check_event(TypeIndex former, StepIndex now) {
        const auto name = present_name(from_.events[former], renames_);
        const auto type = std::find(to_.events.begin(), to_.events.end(), name);
        if (type == to_.events.end()) return add(carried_.missing, "event " + name);
        // A failure goes to one of those who accept it, so that `count` does not tell.
        const auto& plan = to_.plan;
        const auto e = std::size_t(type - to_.events.begin());
        const auto end = e + 1 < plan.events.size() ? plan.events[e + 1].first : plan.consumers.size();
        for (auto c = std::size_t(plan.events[e].first); c < end; ++c)
            if (plan.consumers[c].step == now) return;
        add(carried_.changed, "step " + to_.steps[now] + " has been given " + name + ", which it does not accept now");
    }
    void check_takes(StepIndex former, StepIndex now) {
        if (from_.plan.steps[former].takes != to_.plan.steps[now].takes)
            add(carried_.changed, "step " + to_.steps[now] +
                                      " has been given its events in another form (one, several together, or a list) "
                                      "than it takes now");
    }
    void carry_groups() {
        const auto used = old_.groups.in_use();
        for (Handle h = 0; h < used.size(); ++h) {
            if (!used[h]) continue;
            std::uint64_t collectors = 0;
            for (StepIndex s = 0; s < StepIndex(from_.steps.size()); ++s)
                if (old_.groups[h].collectors >> s & 1) {
                    const auto now = step(s);
                    check_takes(s, now);
                    collectors |= std::uint64_t{1} << now;
                }
            carried_.state.groups[h].collectors = collectors;
        }
    }
    // A part of a join is the event that it takes.
    std::uint16_t part(StepIndex former, std::uint16_t number) {
        for (TypeIndex e = 0; e < TypeIndex(from_.plan.events.size()); ++e)
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
        for (StepIndex s = 0; s < StepIndex(from_.steps.size()); ++s) {
            const Lane& former = old_.lanes[s];
            const auto busy = from_.plan.steps[s].workers - former.free;
            if (former.first == none && busy == 0) continue;
            Lane& lane = lanes[step(s)];
            lane.first = former.first;
            lane.last = former.last;
            lane.free -= std::min(busy, lane.free);
        }
        for (TypeIndex e = 0; e < TypeIndex(from_.plan.events.size()); ++e) {
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
    const std::vector<TypeIndex>& types_;
    const NamedPlan &from_, &to_;
    const Renames& renames_;
    std::map<std::string, std::string> by_present_name_;  // what it was called before
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
