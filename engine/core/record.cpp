// Records contain names, not numbers, because stored data outlives the program: they are read under the plan that made
// them.
#include "engine/core/record.hpp"
#include "engine/core/lease.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/ending.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/walk.hpp"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace weft::core {
using namespace storage;
using nlohmann::json;

namespace {
json write_described(const json_detail::Shape* shape, std::string_view name, const void* value) {
    if (!shape) throw Error(Code::bad_json, std::string(name) + ' ' + std::string(json_detail::undescribed));
    return json_detail::write(*shape, value, json_detail::Path(name, json_detail::TextForm::unchanged));
}
std::vector<journal::EventRecord> record_events(const RunCore& run, const Tick& tick, bool repeatable) {
    std::vector<journal::EventRecord> all;
    for (auto& e : tick.events) {
        auto& event = all.emplace_back(record_event(run, e.cell));
        if (repeatable) event.sum = hex(chained_sum(0, 0, std::exchange(event.data, nullptr).dump()));
    }
    return all;
}
void record_slot(const RunCore& run, Slots::Node& node, journal::TickRecord& record) {
    const SlotType& type = *node.type;
    if (type.memory_only) return;
    const auto name = stored_name(*run.definition, type);
    if (!type.shape || !type.list || type.list->replaced(node.value()))
        record.slots[name] = write_described(type.shape, type.name, node.value());
    else {
        auto items = json::array();
        const auto& item = type.shape->parts[0]();
        for (std::size_t i = node.length; i < type.list->size(node.value()); ++i)
            items.push_back(json_detail::write(item, type.list->item(node.value(), i),
                                               json_detail::Path(type.name, json_detail::TextForm::unchanged)));
        record.appended[name] = std::move(items);
    }
}
}
journal::EventRecord record_event(const RunCore& run, Handle h) {
    auto& cell = const_cast<Cells&>(run.cells)[h];
    const EventType& type = run.definition->events[cell.type];
    return {std::string(type.name), write_described(type.shape, type.name, cell.event()), {}};
}
journal::JsonMap record_slots(const RunCore& run) {
    journal::JsonMap all;
    for (auto* n = run.slots.first(); n; n = n->next)
        if (!n->type->memory_only)
            all[stored_name(*run.definition, *n->type)] = write_described(n->type->shape, n->type->name, n->value());
    return all;
}
std::string child_prefix(std::uint64_t born, Handle token, unsigned attempt) {
    return std::to_string(born) + "." + std::to_string(token) + "." + std::to_string(attempt) + ".";
}
Code code_named(const std::string& name) {
    auto code = Code::step_failed;
    if (!name.empty()) json_detail::read(json_detail::shape_of<Code>, json(name), &code, json_detail::Path("code"));
    return code;
}
std::int64_t wall_us(const RunCore& run) {
    return run.loop.load()->keeper().lease_of(run).date().time_since_epoch().count();
}
journal::TickRecord record_tick(const RunCore& run, const Tick& tick, const Slots* edits, std::int64_t now_us) {
    const Definition& d = *run.definition;
    const Track& track = *run.extras->track;
    journal::TickRecord record{.kind = journal::TickKind(tick.kind), .at = now_us, .run = track.path};
    bool repeatable = false;
    if (tick.token != none) {
        const Token& token = run.state.tokens[tick.token];
        record.step = d.steps[token.step].name;
        record.token = tick.token;
        record.attempt = token.attempts + std::uint64_t(1);
        repeatable = tick.kind == Tick::finished && d.steps[token.step].policy.repeatable;
    }
    record.events = record_events(run, tick, repeatable);
    record.fan_out = tick.fan_out;
    if (tick.question != QuestionId::none) record.question = std::uint64_t(tick.question);
    if (tick.kind == Tick::ended || begins_ending(d, tick))
        record.cause = weft::name(tick.kind == Tick::ended ? tick.status : RunStatus::failed);
    record.retry = tick.retry;
    if (edits)
        for (auto* n = edits->first(); n; n = n->next) record_slot(run, *n, record);
    const auto& extra = track.extra;
    if (extra.error) {
        record.error = sentence_of(extra.error);
        record.code = weft::name(code_of(extra.error));
    }
    record.due = extra.due;
    record.first = extra.first;
    record.mail = extra.mail;
    if (tick.kind == Tick::ended && tick.status == RunStatus::timed_out) record.active_steps = run.extras->active_steps;
    return record;
}
std::string outcome_of(const RunCore& run) {
    if (run.state.status == RunStatus::done) return journal::write_event(record_event(run, run.state.result));
    const PublishedBox last(last_event(run));
    auto data = write_described(last->type->shape, last->type->name, last->type->event(last.get()));
    return journal::write_event({std::string(last->type->name), std::move(data), {}});
}
}
