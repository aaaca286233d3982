// The schedules of a store: makes, lists, pauses and removes them. A schedule is a stored run whose start key is its
// name, and engines that serve its queue execute it.
//
//     const auto times = schedule::Timetable::cron("0 2 * * *", "Europe/Berlin");
//     engine.schedule(stored, {.order = "A-17"},
//                     schedule::ScheduleEvent{.name = "nightly", .timetable = {times.to_json()}});
//     auto pausing = schedule::pause(engine.store(), "nightly");
//     engine.wait(std::move(pausing));
//
// Functions throw Error{usage} for a schedule that does not exist, and the errors of the store.
#pragma once
#include "engine/engine.hpp"
#include "engine/json/line.hpp"
#include "engine/schedule/targets.hpp"

namespace weft::schedule {
inline constexpr std::size_t longest_name = 64, longest_input = 64 << 10;  // bytes

/// The time of the caller's clock, in whole seconds.
awaitable<Time> present();
/// The workflow of schedules without resources: to put a schedule into a store, or to compare runs with it.
const std::shared_ptr<const Definition>& stored_form();
/// Checks the schedule, gives it the present time as ScheduleEvent::last unless it has one, and puts it into the store.
/// Returns the id of its run. A former schedule of this name, if it has ended, is deleted. Throws Error{usage} for a
/// taken or wrong name, a timetable without further times, and an input that does not fit; Error{bad_json} for its
/// fields. `describe` makes RunOptions::stored of its run.
awaitable<std::string> add(Store&, ScheduleEvent, FindTarget,
                           std::function<std::string(const ScheduleEvent&)> describe = {});
/// The same for a durable workflow of the program and its start event: Engine::schedule calls it.
template <class W>
awaitable<std::string> add(Store& store, const Bound<W>& workflow, const typename W::Start& event, ScheduleEvent made) {
    made.workflow = workflow.definition->name;
    made.input.text = json_line(to_json(event));
    return add(store, std::move(made), targets(workflow));
}

struct ListedSchedule {
    std::string run;                        // its id
    RunStatus status = RunStatus::waiting;  // of its run
    bool is_ending = false;                 // it is removed, and ends when an engine takes its run
    ScheduleEvent event;                    // with signals that no engine has taken yet
    std::optional<std::string> damage;      // a sentence: of the event only the name is known
    Timetable timetable() const { return Timetable::from_json(event.timetable.text); }
};
/// All schedules that have not been removed, by name, also damaged ones; at most 10 000.
awaitable<std::vector<ListedSchedule>> list(Store&);
/// Also finds a removed one, until another one has its name.
awaitable<ListedSchedule> find(Store&, std::string name);
/// Starts no run until resume(). Times between both calls are not made up for; earlier ones are then, as MissedTimes
/// says. The clock is the caller's.
awaitable<void> pause(Store&, std::string name);
awaitable<void> resume(Store&, std::string name);
/// Starts a run now, also of a paused schedule, whatever ScheduleEvent::overlap says. Returns its id. The schedule has
/// no note of the run if its inbox is full, or if it ends meanwhile.
awaitable<std::string> run_now(Store&, std::string name, FindTarget);
/// Cancels the run of the schedule, also of a damaged one. Runs that it has started go on. True: it has ended; false:
/// it ends when an engine takes its run.
awaitable<bool> remove(Store&, std::string name);
}
