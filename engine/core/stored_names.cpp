// Plans and ticks keep their stored names: a comparison happens where a run meets the present declaration.
#include "engine/core/stored_names.hpp"
#include "engine/core/graph/plan_ranges.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/name_text.hpp"
#include <algorithm>
#include <set>

namespace weft::core {
namespace {
bool is_identifier(std::string_view s) { return !s.empty() && std::ranges::all_of(s, is_word_part); }
/// "rank" and "(Ask<long>)" of "rank(Ask<long>)"; empty for a name given by hand, such as "rank (quick)".
struct StepNameParts {
    std::string_view function, accepted;
};
std::optional<StepNameParts> parts_of(std::string_view step) {
    const auto written = without_parameters(step);
    const auto function = without_arguments(written);
    if (!is_identifier(function)) return {};
    return StepNameParts{function, step.substr(written.size())};
}
std::set<std::string> accepted_by(const NamedPlan& named, StepIndex s) {
    std::set<std::string> events;
    for (TypeIndex e = 0; e < TypeIndex(named.plan.events.size()); ++e)
        for (auto& consumer : consumers_of(named.plan, e))
            if (consumer.step == s) events.insert(same_from_every_compiler(named.events[e]));
    return events;
}
/// The declaration's form of a name that a user writes in some compiler's form.
std::string name_in(const NamedPlan& named, const std::string& name) {
    if (const auto event = find_stored(named.events, name, are_one_name)) return named.events[*event];
    if (const auto step = find_stored(named.steps, name, may_be_one_step)) return named.steps[*step];
    return name;
}
bool has(const NamedPlan& named, const std::string& name) {
    return find_stored(named.events, name, are_one_name) || find_stored(named.steps, name, may_be_one_step);
}
/// The only step that may be the stored one; empty if there are several.
std::optional<StepIndex> present_step(const NamedPlan& from, StepIndex stored, const NamedPlan& to) {
    std::optional<StepIndex> found;
    for (StepIndex s = 0; s < StepIndex(to.steps.size()); ++s) {
        if (!may_be_one_step(from.steps[stored], to.steps[s])) continue;
        if (from.plan.steps[stored].takes != to.plan.steps[s].takes) continue;
        if (accepted_by(from, stored) != accepted_by(to, s)) continue;
        if (found) return {};
        found = s;
    }
    return found;
}
}
bool are_one_name(std::string_view a, std::string_view b) {
    return a == b || same_from_every_compiler(a) == same_from_every_compiler(b);
}
bool may_be_one_step(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const auto one = parts_of(a), other = parts_of(b);
    if (!one && !other) return !a.ends_with(')') && !b.ends_with(')') && are_one_name(a, b);
    if (!one || !other || one->function != other->function) return false;
    return one->accepted.empty() || other->accepted.empty() || one->accepted == other->accepted;
}
Renames present_names(const NamedPlan& from, const NamedPlan& to, const Renames& given) {
    Renames renames;
    for (auto& [former, now] : given)  // for a run and its children: a rename need not concern each of them
        if (has(to, now) || !has(to, former)) renames[name_in(from, former)] = name_in(to, now);
    for (auto& event : from.events)
        if (const auto now = find_stored(to.events, event, are_one_name); now && to.events[*now] != event)
            renames.emplace(event, to.events[*now]);
    for (StepIndex s = 0; s < StepIndex(from.steps.size()); ++s)
        if (std::ranges::find(to.steps, from.steps[s]) == to.steps.end())
            if (const auto now = present_step(from, s, to)) renames.emplace(from.steps[s], to.steps[*now]);
    return renames;
}
}
