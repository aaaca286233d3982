// Checksums detect damaged ticks. The fold checks their content too, because an invalid handle would access invalid
// memory.
#include "engine/core/fold.hpp"
#include "engine/core/graph/plan_ranges.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include <nlohmann/json.hpp>

namespace weft::core {
using nlohmann::json;

namespace {
static_assert(int(journal::TickKind::arrived) == Tick::arrived && int(journal::TickKind::failed) == Tick::failed &&
              int(journal::TickKind::ended) == Tick::ended && int(journal::TickKind::dropped) == Tick::dropped);
std::optional<std::size_t> index_in(const std::vector<std::string>& names, const std::string& name) {
    return find_stored(names, name, are_one_name);
}
RunStatus ended_status(const std::string& text) {
    const auto status = status_named(text);
    return status && *status > RunStatus::done ? *status : RunStatus::running;
}
}
Fold::Fold(NamedPlan plan, State state, Handle events, std::shared_ptr<const journal::SnapshotRecord> snapshot)
    : plan_(std::move(plan)), state_(std::move(state)), snapshot_(std::move(snapshot)) {
    for (Handle e = 0; e < events; ++e) {
        const auto type = index_in(plan_.events, snapshot_->events.at(e).event);
        if (!type) throw Error(Code::journal, "a snapshot of a run of " + plan_.workflow + " has an unknown event");
        origins_.push_back({in_snapshot, e, TypeIndex(*type)});
    }
}
void Fold::refuse(std::uint64_t seq, const std::string& why) const {
    throw Error(Code::journal,
                "tick " + std::to_string(seq) + " of a run of " + plan_.workflow + " is invalid: " + why);
}
const Fold::RepeatableCall* Fold::repeat(std::uint64_t seq) const {
    const auto found = repeats_.find(seq);
    return found == repeats_.end() ? nullptr : &found->second;
}
template <class T> const T& Fold::need(std::uint64_t seq, const std::optional<T>& member) const {
    if (!member) refuse(seq, "its record is incomplete");
    return *member;
}
const std::string& Fold::need(std::uint64_t seq, const std::string& member) const {
    if (member.empty()) refuse(seq, "its record is incomplete");
    return member;
}
Tick Fold::read(std::uint64_t seq, const journal::TickRecord& record, std::vector<Emitted>& events) {
    Tick tick{.kind = Tick::Kind(int(record.kind))};
    const bool of_token = tick.kind != Tick::arrived && tick.kind != Tick::ended;
    if (of_token) {
        if (need(seq, record.token) >= state_.tokens.size()) refuse(seq, "it has no such token");
        tick.token = Handle(*record.token);
        const Token& token = state_.tokens[tick.token];
        const auto wanted = tick.kind == Tick::due ? TokenPhase::delayed : TokenPhase::running;
        if (token.phase != wanted && !(tick.kind == Tick::dropped && token.dropped))
            refuse(seq, "its token is in another phase");
        if (!may_be_one_step(need(seq, record.step), plan_.steps[token.step])) refuse(seq, "its step is another one");
        tick.fan_out = record.fan_out;
        if (tick.fan_out > fan_outs_of(plan_.plan, token.step).size()) refuse(seq, "its step has no such fan-out");
        tick.retry = record.retry;
    }
    if (tick.kind == Tick::ended) {
        tick.status = ended_status(need(seq, record.cause));
        if (tick.status == RunStatus::running) refuse(seq, "its cause is not an end of a run");
    }
    for (auto& event : record.events) {
        const auto type = index_in(plan_.events, event.event);
        if (!type) refuse(seq, "its workflow has no " + event.event);
        events.push_back({Handle(origins_.size()), TypeIndex(*type)});
        origins_.push_back({seq, std::uint32_t(events.size() - 1), TypeIndex(*type)});
    }
    if (tick.kind == Tick::arrived && events.size() != 1) refuse(seq, "it must have exactly one event");
    const auto is_ending = [&](const Emitted& e) { return plan_.plan.events[e.type].role == EventRole::ending; };
    if (tick.kind == Tick::ended && !std::all_of(events.begin(), events.end(), is_ending))
        refuse(seq, "no undo step accepts its event");
    if (!record.question.is_null()) tick.question = QuestionId(record.question.get<std::uint64_t>());
    tick.events = events;
    return tick;
}
/// Returns whether the record is about work of an attempt or an invocation.
bool Fold::add_work(const journal::JournalEntry& entry) {
    const auto seq = entry.number;
    const auto effect = [&](const auto& record) -> std::optional<std::string>& {
        return effects[Handle(need(seq, record.token))][need(seq, record.name)];
    };
    if (const auto* once = std::get_if<journal::OnceRecord>(&entry.record)) {
        auto value = once->failed.empty() ? need(seq, once->value).text : once->error.value_or("");
        notes[Handle(need(seq, once->token))].push_back(
            {need(seq, once->name), std::move(value), once->within, once->failed});
    } else if (const auto* begun = std::get_if<journal::BegunRecord>(&entry.record)) effect(*begun);
    else if (const auto* outcome = std::get_if<journal::OutcomeRecord>(&entry.record)) {
        auto& known = effect(*outcome);
        if (outcome->value) known = outcome->value->text;
    } else return false;
    return true;
}
void Fold::keep_repeat(std::uint64_t seq, Handle h) {
    const Token& token = state_.tokens[h];
    RepeatableCall made;
    made.step = plan_.steps[token.step];
    made.index = token.step;
    made.is_list = token.cell == none;
    if (token.cell != none) made.inputs.push_back(token.cell);
    for (Handle i = token.items; made.is_list && i != none; i = state_.tokens[i].next)
        made.inputs.push_back(state_.tokens[i].cell);
    repeats_.emplace(seq, std::move(made));
}
void Fold::carry_to(NamedPlan plan, const Renames& given) {
    const auto renames = present_names(plan_, plan, given);
    if (state_.status == RunStatus::running) carry_live(plan, renames);  // an ended run has nothing to carry
    rename(plan, renames);
    plan_ = std::move(plan);
}
void Fold::carry_live(const NamedPlan& plan, const Renames& renames) {
    std::vector<TypeIndex> types;
    for (auto& origin : origins_) types.push_back(origin.type);
    auto carried = carry(state_, types, plan_, plan, renames);
    const auto listed = [](const std::vector<std::string>& all) {
        std::string text;
        for (auto& one : all) (text += text.empty() ? "" : ", ") += one;
        return text;
    };
    const auto beginning = "a run of " + plan_.workflow + " cannot continue under its present declaration";
    if (!carried.missing.empty())
        throw Error(Code::journal, beginning + ", which does not have " + listed(carried.missing) +
                                       ": declare it again, or give its present name in RunOptions::renames");
    if (!carried.changed.empty())
        throw Error(Code::journal, beginning + ": " + listed(carried.changed) +
                                       ". Let runs end under the declaration that they began with, or name the "
                                       "changed step anew and keep the former one beside it");
    state_ = std::move(carried.state);
}
/// A name without live items may be gone. A later declaration that uses it again means another item.
void Fold::rename(const NamedPlan& to, const Renames& renames) {
    for (auto& origin : origins_) {
        if (origin.type == no_type) continue;
        const auto now = index_in(to.events, present_name(plan_.events[origin.type], renames));
        origin.type = now ? TypeIndex(*now) : no_type;
    }
    for (auto& [seq, made] : repeats_) {
        if (made.index == no_step) continue;
        made.step = present_name(made.step, renames);
        const auto now = find_stored(to.steps, made.step, may_be_one_step);
        made.index = now ? StepIndex(*now) : no_step;
    }
    if (!failure.step.empty()) failure.step = present_name(failure.step, renames);
    renames_.push_back(renames);
}
void Fold::add(const journal::JournalEntry& entry) {
    if (journal::edits_of(entry.record).any()) last_edit = entry.number;
    if (add_work(entry) || std::holds_alternative<journal::RefusedRecord>(entry.record) ||
        std::holds_alternative<journal::EditedRecord>(entry.record))
        return;
    if (const auto* prolonged = std::get_if<journal::ProlongedRecord>(&entry.record)) {
        deadline = prolonged->deadline;
        if (deadline) ++prolongations;
        return;
    }
    const auto* tick = std::get_if<journal::TickRecord>(&entry.record);
    if (tick) return add_tick(entry.number, *tick);
    if (state_.status == RunStatus::running)
        refuse(entry.number, "this version does not know its kind '" + std::string(kind_of(entry.record)) + "'");
}
void Fold::note_failure(std::uint64_t seq, const journal::TickRecord& record) {
    if (record.error)
        failure = {record.step, *record.error, need(seq, record.code), unsigned(record.attempt.value_or(1)), {}, {}};
    failure.active_steps = record.active_steps.value_or(std::vector<std::string>());
}
void Fold::add_tick(std::uint64_t seq, const journal::TickRecord& record) {
    try {
        if (record.deadline) {
            deadline = record.deadline;
            timeout = need(seq, record.timeout);
        }
        if (!record.values.text.empty()) values = record.values.text;
        if (record.asked_before) state_.asked = record.asked_before;
        if (state_.status != RunStatus::running) return;
        std::vector<Emitted> events;
        const Tick tick = read(seq, record, events);
        const bool made_again = !events.empty() && !record.events[0].sum.empty();
        if (made_again) keep_repeat(seq, tick.token);
        if (tick.token != none) {
            notes.erase(tick.token);
            delays.erase(tick.token);
            if (ends_invocation(tick)) effects.erase(tick.token);
        }
        if (tick.retry) {
            const auto due = need(seq, record.due);
            delays[tick.token] = {due, need(seq, record.first), due - record.at};
        }
        const bool is_undoing = state_.ending != EndingPhase::not_begun;
        if (!is_undoing) note_failure(seq, record);
        reduce(plan_.plan, state_, tick, commands_);
        if (is_undoing && record.error && state_.status != RunStatus::running) failure.undo_error = *record.error;
        for (auto& c : std::span<const Command>(commands_)) {
            if (c.kind == Command::publish) asked[c.token] = c.cell;
            if (c.kind != Command::invoke || state_.tokens[c.token].attempts) continue;
            grown(invocations, c.token) = {.born = seq};
            effects.erase(c.token);
        }
        commands_.clear();
    } catch (const json::exception&) { refuse(seq, "its record is incomplete"); }  // the id of a question
}
}
