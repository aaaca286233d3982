// Calls a repeatable step again in a run of its own without readers, with the step's former event and slots.
#include "engine/core/event_reader.hpp"
#include "engine/core/graph/plan_ranges.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/walk.hpp"
#include "engine/terminal.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::core {
using namespace storage;
using nlohmann::json;

StepIndex step_named(const Definition& d, const std::string& name) {
    const auto found = find_stored(d.steps, name, may_be_one_step, &StepType::name);
    return found ? StepIndex(*found) : no_step;
}
std::optional<TypeIndex> event_named(const Definition& d, std::string_view name) {
    const auto found = find_stored(d.events, name, are_one_name, &EventType::name);
    if (!found) return {};
    return TypeIndex(*found);
}
Handle put_event(RunCore& to, TypeIndex index, const json& data, std::uint16_t consumers) {
    const auto& type = to.definition->events[index];
    if (!type.shape || !type.shape->make)
        throw Error(Code::journal, std::string(type.name) + " cannot be read: give it a default constructor");
    const Handle cell = to.cells.put_made(index, type.shape->make, consumers);
    try {
        json_detail::read(*type.shape, data, to.cells[cell].event(), json_detail::Path(type.name));
        if (type.complete) type.complete(to.cells[cell].event());
    } catch (...) {
        to.cells.discard(cell);
        throw;
    }
    return cell;
}
void add_cause(StepFailedEvent& failure) {
    auto code = Code::step_failed;
    try {
        code = code_named(failure.code);
    } catch (const Error&) {}  // from another version
    failure.cause = std::make_exception_ptr(Error(code, failure.error));
}
namespace {
[[noreturn]] void refuse_missing(const Definition& d, const char* what, const std::string& name) {
    throw Error(Code::journal, std::string(d.name) + " does not have the " + what + " " + name +
                                   " any more: declare it again, or give its present name in RunOptions::renames");
}
/// Refuses events that a step does not accept, because the call itself does not check types.
void check_given(const Fold& fold, const Definition& d, StepIndex step, std::span<const Handle> events, bool is_list) {
    const auto refuse = [&](const std::string& what) {
        throw Error(Code::journal, "step " + std::string(d.steps[step].name) +
                                       " cannot be called again: it has been given " + what +
                                       ". Let runs end under the declaration that they began with, or name the "
                                       "changed step anew and keep the former one beside it");
    };
    const StepPlan& now = d.plan.steps[step];
    if (is_list == (now.takes == Takes::one) || (!is_list && events.size() != 1))
        refuse("its events in another form (one, several together, or a list) than it takes now");
    if (now.takes == Takes::parts && events.size() != now.parts)
        refuse(std::to_string(events.size()) + " events together, and joins " + std::to_string(now.parts) + " now");
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto index = fold.origin(events[i]).type;
        const auto type = index == no_type ? std::optional<TypeIndex>() : event_named(d, fold.plan().events[index]);
        if (!type) continue;  // it is unreadable, too
        const auto accepting = consumers_of(d.plan, *type);
        const bool accepts = std::ranges::any_of(accepting, [&](auto& c) { return c.step == step; });
        const bool in_place = std::ranges::any_of(
            accepting, [&](auto& c) { return c.step == step && (now.takes != Takes::parts || c.part == i); });
        if (in_place) continue;
        const std::string name(d.events[*type].name);
        if (accepts) refuse(name + " at a position where it takes another event now");
        refuse(name + ", which it does not accept now");
    }
}
}
const StoredTick& StoredEventReader::tick(std::uint64_t seq) const {
    const auto found = std::lower_bound(history_.ticks.begin(), history_.ticks.end(), seq,
                                        [](auto& t, std::uint64_t n) { return t.seq < n; });
    if (found == history_.ticks.end() || found->seq != seq)
        throw Error(Code::journal, "tick " + std::to_string(seq) + " is missing");
    return *found;
}
journal::EventRecord StoredEventReader::stored(const Origin& origin) const {
    if (origin.seq == in_snapshot) return fold_.snapshot()->events.at(origin.index);
    auto entry = journal::read_entry(tick(origin.seq));
    return std::move(std::get<journal::TickRecord>(entry.record).events.at(origin.index));
}
Handle StoredEventReader::read(RunCore& to, Handle event) {
    const Origin origin = fold_.origin(event);
    const auto stored = this->stored(origin);
    if (origin.type == no_type) refuse_missing(*to.definition, "event", stored.event);
    // A record has the event's name at the time of storage: another event may have that name now.
    const auto& name = fold_.plan().events[origin.type];
    const auto type = event_named(*to.definition, name);
    if (!type) refuse_missing(*to.definition, "event", name);
    const std::string present(to.definition->events[*type].name);
    return put_event(to, *type, stored.sum.empty() ? stored.data : repeat(origin, present), 1);
}
Handle StoredEventReader::place(RunCore& again, StepIndex step, std::span<const Handle> events, bool is_list,
                                Handle at) {
    check_given(fold_, *again.definition, step, events, is_list);
    auto& tokens = again.state.tokens;
    while (tokens.size() <= at) tokens.make(Token());
    tokens[at].step = step;
    tokens[at].phase = TokenPhase::running;
    Handle last = none;
    for (auto event : events) {
        const Handle cell = read(again, event);
        if (!is_list) {
            tokens[at].cell = cell;
            continue;
        }
        Token item;
        item.cell = cell;
        item.phase = TokenPhase::kept;
        const Handle h = tokens.make(item);
        (last == none ? tokens[at].items : tokens[last].next) = h;
        last = h;
    }
    return at;
}
json StoredEventReader::repeat(const Origin& origin, const std::string& event) {
    const auto* made = fold_.repeat(origin.seq);
    if (!made) throw Error(Code::journal, "tick " + std::to_string(origin.seq) + " has no repeatable step");
    RunCore again(loop_, *run_.mailbox, run_.definition, 0);
    slots_before(origin.seq, again.slots);
    if (made->index == no_step) refuse_missing(*again.definition, "step", made->step);
    const StepIndex index = step_named(*again.definition, made->step);
    if (index == no_step) refuse_missing(*again.definition, "step", made->step);
    const StepType& step = again.definition->steps[index];
    if (!step.call)
        throw Error(Code::journal,
                    "step " + std::string(step.name) + " was repeatable when the run was stored, and waits now");
    Buffer<Emitted> emitted;
    StepCall call(again, index, place(again, index, made->inputs, made->is_list), emitted);
    try {
        step.call(call);
    } catch (...) {  // unwrapped, the exception would seem to be the run's own
        throw Error(Code::journal,
                    "step " + std::string(step.name) + " has made " + event +
                        " before, and fails now that it makes it again: " + sentence_of(std::current_exception()) +
                        ". What a repeatable step makes is not stored: let the run end under the "
                        "program that stored it");
    }
    if (origin.index >= emitted.size() || again.definition->events[emitted[origin.index].type].name != event)
        throw Error(Code::journal, "step " + std::string(step.name) + " has made " + event +
                                       " before, and makes another result now: it is not repeatable");
    const auto& type = again.definition->events[emitted[origin.index].type];
    return json_detail::write(*type.shape, again.cells[emitted[origin.index].cell].event(),
                              json_detail::Path(type.name, json_detail::TextForm::unchanged));
}
void StoredEventReader::slots_before(std::uint64_t seq, Slots& slots) {
    if (fold_.last_edit < seq) return slots.add_copies(run_.slots);
    SlotsFold before(*run_.definition, slots);
    if (fold_.snapshot()) before.add({&fold_.snapshot()->slots, nullptr});
    for (auto& tick : history_.ticks) {
        if (tick.seq >= seq) return;
        const auto [number, record] = journal::read_entry(tick);
        if (journal::path_of(record) == run_.extras->track->path) before.add(journal::edits_of(record));
    }
}
}
