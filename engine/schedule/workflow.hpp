// A schedule: a stored run that starts runs of another workflow at the times of its timetable.
//
//     auto stored = durable(schedule::keeping.with(runs));                // in a .cpp file
//     engine.enqueue(stored, nightly, {.key = "nightly"});
//
//     start_on_time, begun again at each time -> the end, if no time is left
//     pause_schedule, note_start_by_hand: signals
//     resume_schedule: a signal -> wake_schedule, which begins again, if the schedule is paused
#pragma once
#include "engine/schedule/steps.hpp"
#include "engine/workflow.hpp"

namespace weft::schedule {
using namespace std::chrono_literals;
// clang-format off
inline constexpr auto keeping = workflow("schedule",
    step<start_on_time>.retry({.attempts = 255, .wait = exponential(1s, 5min)}),
    step<pause_schedule>,
    step<resume_schedule>,
    step<wake_schedule>,
    step<note_start_by_hand>);
// clang-format on
}
