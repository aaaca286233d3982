// Checksums keep accidents out of the ticks; what is read here is checked all the same, because a handle that does not
// exist would be memory that does not exist.
#include "engine/core/fold.hpp"
#include "engine/core/plan_ranges.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/error.hpp"
#include "engine/observer.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::core {
using nlohmann::json;

namespace {
constexpr std::pair<std::string_view, Tick::Kind> tick_kinds[] = {
    {"arrived", Tick::arrived}, {"finished", Tick::finished}, {"failed", Tick::failed},
    {"due", Tick::due},         {"ended", Tick::ended},       {"dropped", Tick::dropped}};
std::optional<std::size_t> index_in(const std::vector<std::string>& names, const std::string& name) {
    return find_stored(names, name, are_one_name);
}
Cause cause_of(const std::string& text) {
    for (auto cause : {Cause::failed, Cause::timed_out, Cause::cancelled})
        if (text == name(cause)) return cause;
    return Cause::none;
}
}
Fold::Fold(NamedPlan plan, State state, Handle events, std::shared_ptr<const json> snapshot)
    : plan_(std::move(plan)), state_(std::move(state)), snapshot_(std::move(snapshot)) {
    for (Handle e = 0; e < events; ++e) {
        const auto type = index_in(plan_.events, snapshot_->at("events").at(e).at("event").get<std::string>());
        if (!type) throw Error(Code::journal, "a snapshot of a run of " + plan_.workflow + " has an unknown event");
        origins_.push_back({in_snapshot, e, TypeIndex(*type)});
    }
}
void Fold::refuse(std::uint64_t seq, const std::string& why) const {
    throw Error(Code::journal,
                "tick " + std::to_string(seq) + " of a run of " + plan_.workflow + " cannot be followed: " + why);
}
const Fold::Repeat* Fold::repeat(std::uint64_t seq) const {
    const auto found = repeats_.find(seq);
    return found == repeats_.end() ? nullptr : &found->second;
}
Tick Fold::read(std::uint64_t seq, const json& body, std::vector<Emitted>& events) {
    const auto kind = body.at("tick").get<std::string>();
    const auto known = std::find_if(std::begin(tick_kinds), std::end(tick_kinds),
                                    [&](auto& row) { return row.first == kind; });
    if (known == std::end(tick_kinds)) refuse(seq, "nobody knows a tick of the kind '" + kind + "'");
    Tick tick{.kind = known->second};
    const bool of_token = tick.kind != Tick::arrived && tick.kind != Tick::ended;
    if (of_token) {
        tick.token = body.at("token").get<Handle>();
        if (tick.token >= state_.tokens.size()) refuse(seq, "it has no such token");
        const Token& token = state_.tokens[tick.token];
        const auto wanted = tick.kind == Tick::due ? Phase::delayed : Phase::running;
        if (token.phase != wanted && !(tick.kind == Tick::dropped && token.dropped))
            refuse(seq, "its token is at something else");
        if (!may_be_one_step(body.at("step").get_ref<const std::string&>(), plan_.steps[token.step]))
            refuse(seq, "its step is another one");
        tick.fan_out = body.value("fan_out", std::uint8_t{0});
        if (tick.fan_out > fan_outs_of(plan_.plan, token.step).size()) refuse(seq, "its step has no such fan-out");
        tick.retry = body.value("retry", false);
    }
    if (tick.kind == Tick::ended) {
        tick.cause = cause_of(body.at("cause").get<std::string>());
        if (tick.cause == Cause::none) refuse(seq, "a run does not end in that way");
    }
    if (const auto found = body.find("events"); found != body.end())
        for (auto& event : *found) {
            const auto type = index_in(plan_.events, event.at("event").get<std::string>());
            if (!type) refuse(seq, "its workflow has no " + event.at("event").get<std::string>());
            events.push_back({Handle(origins_.size()), TypeIndex(*type)});
            origins_.push_back({seq, std::uint32_t(events.size() - 1), TypeIndex(*type)});
        }
    if (tick.kind == Tick::arrived && events.size() != 1) refuse(seq, "no event has come with it");
    if (const auto question = body.find("question"); question != body.end())
        tick.question = QuestionId(question->get<std::uint64_t>());
    tick.events = events;
    return tick;
}
void Fold::take_note(const json& body) {
    auto failed = body.value("failed", std::string());
    auto value = failed.empty() ? body.at("value").dump() : body.value("error", std::string());
    notes[body.at("token").get<Handle>()].push_back(
        {body.at("name").get<std::string>(), std::move(value), body.value("within", 0u), std::move(failed)});
}
void Fold::take_effect(const json& body) {
    auto& outcome = effects[body.at("token").get<Handle>()][body.at("name").get<std::string>()];
    if (body.contains("value")) outcome = body["value"].dump();
}
void Fold::keep_repeat(std::uint64_t seq, Handle h) {
    const Token& token = state_.tokens[h];
    Repeat made;
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
    if (state_.cause != Cause::none) {  // nothing of it is on its way
        rename(plan, renames);
        plan_ = std::move(plan);
        return;
    }
    std::vector<TypeIndex> types;
    for (auto& origin : origins_) types.push_back(origin.type);
    auto carried = carry(state_, types, plan_, plan, renames);
    const auto listed = [](const std::vector<std::string>& all) {
        std::string text;
        for (auto& one : all) (text += text.empty() ? "" : ", ") += one;
        return text;
    };
    const auto beginning = "a run of " + plan_.workflow + " cannot go on under its present declaration";
    if (!carried.missing.empty())
        throw Error(Code::journal, beginning + ", which does not have " + listed(carried.missing) +
                                       ": declare it again, or give what it is called now as RunOptions::renames");
    if (!carried.changed.empty())
        throw Error(Code::journal, beginning + ": " + listed(carried.changed) +
                                       ". Let runs end under the declaration that they began with, or name the "
                                       "changed step anew and keep the former one beside it");
    rename(plan, renames);
    plan_ = std::move(plan);
    state_ = std::move(carried.state);
}
/// A name that is not live may be gone. A later declaration that uses it again means something else by it.
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
void Fold::add(std::uint64_t seq, const json& body) {
    try {
        if (body.contains("slots") || body.contains("appended")) last_edit = seq;
        if (const auto at = body.find("deadline"); at != body.end()) {
            deadline = at->get<std::int64_t>();
            timeout = body.at("timeout").get<double>();
        }
        if (const auto at = body.find("values"); at != body.end()) values = at->dump();
        if (body.at("tick") == "once") return take_note(body);
        if (body.at("tick") == "begun" || body.at("tick") == "outcome") return take_effect(body);
        if (body.at("tick") == "refused" || body.at("tick") == "edited") return;
        if (state_.cause != Cause::none) return;
        std::vector<Emitted> events;
        const Tick tick = read(seq, body, events);
        const bool made_again = !events.empty() && body.at("events")[0].contains("sum");
        if (made_again) keep_repeat(seq, tick.token);
        if (tick.token != none) {
            notes.erase(tick.token);
            delays.erase(tick.token);
            if (ends_invocation(tick)) effects.erase(tick.token);
        }
        if (tick.retry) {
            const auto due = body.at("due").get<std::int64_t>();
            delays[tick.token] = {due, body.at("first").get<std::int64_t>(), due - body.value("at", due)};
        }
        if (body.contains("error"))
            failure = {body.value("step", std::string()),
                       body.at("error").get<std::string>(),
                       body.at("code").get<std::string>(),
                       body.value("attempt", 1u),
                       {}};
        failure.active_steps = body.value("active_steps", std::vector<std::string>());
        reduce(plan_.plan, state_, tick, commands_);
        for (auto& c : std::span<const Command>(commands_)) {
            if (c.kind == Command::publish) asked[c.token] = c.cell;
            if (c.kind != Command::invoke || state_.tokens[c.token].attempts) continue;
            if (c.token >= invocations.size()) invocations.resize(c.token + 1);
            invocations[c.token] = {.born = seq};
            effects.erase(c.token);
        }
        commands_.clear();
    } catch (const json::exception&) { refuse(seq, "its record is not complete"); }
}
}
