// The next times are those of this machine's zones, as of a worker's.
#include "workflows/catalog/schedules.hpp"
#include "engine/event_json.hpp"
#include "engine/json.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include <algorithm>

namespace weft::catalog {
namespace {
std::string options_text(std::string_view workflow, const nlohmann::json& input) {
    AgentOptions options;
    options.command = "run";
    return write_stored_run_options(options, {}, workflow, input);
}
std::string state_of(const schedule::ListedSchedule& listed) {
    if (listed.damage) return "damaged";
    if (has_ended(listed.status)) return std::string(name(listed.status));
    return listed.is_ending ? "ending" : is_paused(listed.event) ? "paused" : "active";
}
}
schedule::RunTarget scheduled_target(const std::string& workflow, const nlohmann::json& input) {
    const auto& entry = find_workflow(workflow);
    refuse_unknown_fields(start_event(entry.outline()), input, "input");
    return {entry.stored(), options_text(entry.name, input)};
}
std::string schedule_options(const schedule::ScheduleEvent& event) {
    return options_text(schedule_entry().name, to_json(event));
}
DescribedSchedule describe_schedule(const schedule::ListedSchedule& listed, schedule::Time now) {
    const auto& event = listed.event;
    DescribedSchedule described{.name = event.name,
                                .run = listed.run,
                                .state = state_of(listed),
                                .workflow = event.workflow,
                                .input = event.input,
                                .timetable = event.timetable,
                                .means = {},
                                .queue = event.queue,
                                .missed = event.missed,
                                .window = event.window,
                                .overlap = event.overlap,
                                .timeout_ms = event.timeout_ms,
                                .next = {},
                                .waiting = event.waiting,
                                .started = event.started,
                                .problem = listed.damage ? listed.damage : event.problem,
                                .firings = event.firings};
    if (listed.damage) return described;
    try {
        const auto timetable = listed.timetable();
        described.means = timetable.in_words();
        if (described.state == "active") described.next = timetable.next_times(std::max(now, event.last));
    } catch (const Error& error) { described.problem = error.what(); }  // this machine cannot read the timetable
    return described;
}
std::vector<std::string> started_runs(const DescribedSchedule& one) {
    std::vector<std::string> ids;
    for (const auto& firing : one.firings)
        if (!firing.run.empty()) ids.push_back(firing.run);
    return ids;
}
nlohmann::json with_statuses(const DescribedSchedule& one, const std::vector<storage::RunRow>& started) {
    auto json = to_json(one);
    for (auto& firing : json.at("firings")) {
        const auto row = std::ranges::find(started, firing.at("run").get<std::string>(), &storage::RunRow::id);
        firing["status"] = row == started.end() ? nlohmann::json() : nlohmann::json(name(row->status));
    }
    return json;
}
}
