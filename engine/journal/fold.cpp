// Unknown records of later versions count as ticks as far as they have a tick's members.
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include <algorithm>

namespace weft::journal {
using nlohmann::json;
namespace {
using Questions = std::vector<OpenQuestion>;

bool is_within(const std::string& run, const std::string& parent) {
    return parent.empty() || run == parent || run.starts_with(parent + '/');
}
/// The n-th event of this name, if the tick contains its data.
json data_of(const TickRecord& tick, const std::string& event, std::size_t n) {
    for (auto& each : tick.events)
        if (each.event == event && n-- == 0) return each.data;
    return nullptr;
}
void ask(Questions& open, const TickRecord& tick) {
    std::map<std::string, std::size_t> seen;
    for (auto& asked : tick.asked)
        open.push_back({.id = asked.question,
                        .event = asked.event,
                        .data = data_of(tick, asked.event, seen[asked.event]++),
                        .at = tick.at,
                        .run = tick.run});
}
/// The question that an answer is for, or end().
Questions::iterator find_asked(Questions& open, const json& id, const std::string& event, const Fits& fits,
                               const json& run) {
    return std::find_if(open.begin(), open.end(), [&](const OpenQuestion& each) {
        return run == each.run && !each.answered && (id.is_null() ? fits(event, each.event) : each.id == id);
    });
}
void put_mail(Questions& open, const storage::Mail& mail, const Fits& fits) {
    const auto record = read_mail(mail.body);
    if (!record || !record->event || !record->event->is_string()) return;
    const auto at = find_asked(open, record->question.value_or(json()), record->event->get<std::string>(), fits,
                               record->run.value_or(""));
    if (at != open.end()) at->answered = true;
}
}
static void add_edits(JsonMap& slots, const Record& record) {
    const auto edits = edits_of(record);
    if (!path_of(record).empty() || !edits.any()) return;
    for (auto& [name, value] : *edits.slots) slots[name] = value;
    for (auto& [name, items] : *edits.appended) {
        auto& list = slots[name];
        if (!list.is_array()) list = json::array();
        for (auto& item : items) list.push_back(item);
    }
}
JsonMap fold_slots(const std::vector<JournalEntry>& entries) {
    JsonMap slots;
    for (auto& entry : entries) add_edits(slots, entry.record);
    return slots;
}
JsonMap fold_slots(const storage::History& history) {
    JsonMap slots;
    const auto& snapshot = history.snapshot;
    if (snapshot && (history.ticks.empty() || history.ticks.front().seq >= snapshot->upto))
        slots = read_snapshot(snapshot->body).slots;
    for (auto& tick : history.ticks) add_edits(slots, read_entry(tick).record);
    return slots;
}
std::vector<OpenQuestion> fold_questions(const std::vector<JournalEntry>& entries,
                                         const std::vector<storage::Mail>& mail, const Fits& fits) {
    Questions open;
    for (auto& entry : entries) {
        const auto* tick = tick_of(entry.record);
        if (!tick) continue;
        const bool is_known = std::holds_alternative<TickRecord>(entry.record);
        if (is_known && tick->kind == TickKind::arrived)
            for (auto& each : tick->events)
                if (const auto at = find_asked(open, tick->question, each.event, fits, tick->run); at != open.end())
                    open.erase(at);
        if (is_known && (tick->kind == TickKind::ended || !tick->cause.empty()))
            std::erase_if(open, [&](const OpenQuestion& each) { return is_within(each.run, tick->run); });
        ask(open, *tick);
    }
    for (auto& each : mail) put_mail(open, each, fits);
    return open;
}
bool has_cancel(const std::vector<storage::Mail>& mail) {
    return std::ranges::any_of(mail, [](const storage::Mail& each) {
        const auto record = read_mail(each.body);
        return record && record->cancel == json(true);
    });
}
RunCourse fold_course(const std::vector<JournalEntry>& entries) {
    RunCourse course;
    for (auto& [number, record] : entries) {
        if (!path_of(record).empty()) continue;
        if (const std::string hash(declaration_of(record).hash); !hash.empty()) {
            std::erase(course.hashes, hash);
            course.hashes.push_back(hash);
        }
        if (const auto* prolonged = std::get_if<ProlongedRecord>(&record)) course.deadline = prolonged->deadline;
        const auto* tick = std::get_if<TickRecord>(&record);
        if (!tick) continue;
        const bool is_undoing = !tick->cause.empty() && !tick->events.empty();
        if (is_undoing) course.undoes_after = tick->cause;
        if (!course.deadline || is_undoing) course.deadline = tick->deadline;
        course.is_ending = course.is_ending || (tick->kind == TickKind::ended && !is_undoing);
    }
    return course;
}
}
