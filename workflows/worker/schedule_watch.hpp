// Metrics of the schedules that a worker executes.
//
//     telemetry::Metrics metrics;
//     catalog::ProcessOptions options{.on_firing = worker::watch_schedules(metrics)};
//
// | metric | labels | meaning |
// |---|---|---|
// | `weft_schedule_times_total` | schedule, outcome | times of schedules: started, skipped, missed, failed |
// | `weft_schedule_lateness_seconds` | | from a time to the start of its run, in whole seconds; histogram |
//
// A time counts again if its worker dies before the outcome is stored.
#pragma once
#include "engine/schedule/targets.hpp"

namespace weft::telemetry {
class Metrics;
}
namespace weft::worker {
/// Adds the metrics, once for one Metrics, which must outlive the function.
schedule::OnFiring watch_schedules(telemetry::Metrics&);
}
