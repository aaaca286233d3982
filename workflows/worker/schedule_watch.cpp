// Series bound the names of schedules, as all values of labels (engine/telemetry/series.hpp).
#include "workflows/worker/schedule_watch.hpp"
#include "engine/json.hpp"
#include "engine/telemetry/metrics.hpp"

namespace weft::worker {
schedule::OnFiring watch_schedules(telemetry::Metrics& metrics) {
    const auto times = metrics.counter("weft_schedule_times_total", "Times of schedules that this worker has settled.",
                                       {"schedule", "outcome"});
    const auto lateness = metrics.histogram("weft_schedule_lateness_seconds",
                                            "From the times of schedules to the start of their runs.");
    return [times, lateness](const schedule::ScheduleEvent& event, const schedule::Firing& firing,
                             std::chrono::seconds late) {
        const auto outcome = to_json(firing.kind).get<std::string>();
        times.add({event.name, outcome}, double(firing.times));
        if (firing.kind == schedule::FiringKind::started) lateness.observe({}, double(late.count()));
    };
}
}
