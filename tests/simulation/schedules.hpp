// The schedules of a history: random ones of one small workflow, their pauses, and the oracles that judge them at the
// end.
//
//     ScheduleSet schedules(world, ledger, caller, link, store);
//     schedules.act(a, b);                              // a new schedule, or a pause, soon in the store
//     while (!schedules.come_to_rest()) world.run_until(world.now() + 5s);
//     schedules.judge();
//     while (!schedules.have_ended()) world.run_until(world.now() + 5s);
#pragma once
#include "engine/schedule/schedules.hpp"
#include "tests/simulation/site.hpp"

namespace simulation {
class ScheduleSet {
public:
    ScheduleSet(World&, Ledger&, Machine& caller, Store& link_of_caller, Store&);
    /// The workflow of the scheduled runs, which each process has to offer.
    const std::shared_ptr<const Graph>& target() const { return target_; }
    /// The workflow of schedules, for a process whose runs act at this site. The site must outlive it.
    weft::schedule::Schedules offered_at(Site&) const;
    /// Adds, pauses or resumes a schedule, as the two numbers say. Returns a sentence; empty: nothing.
    std::string act(std::uint64_t a, std::uint64_t b);
    /// Pauses all schedules. True: several calls in a row have found no schedule with work, and their runs have ended.
    bool come_to_rest();
    /// Reports runs before their time or outside of the timetable, and wrong counts. All schedules are at rest.
    void judge();
    /// Removes all schedules. True: they have ended.
    bool have_ended();

private:
    struct PlannedSchedule {
        weft::schedule::ScheduleEvent event;
        bool is_stored = false;
        bool has_paused = false;  // a pause was asked for before the faults stopped
        std::int64_t paused = 0;  // microseconds since 1970: it has taken the last pause
    };
    enum class Change { pause, resume, remove };
    std::string add(std::uint64_t b);
    awaitable<void> put(PlannedSchedule&);
    awaitable<void> change(std::string name, Change);
    awaitable<void> find(std::string name, std::optional<weft::schedule::ListedSchedule>& found);
    void spawn_at_caller(awaitable<void>);
    std::vector<storage::RunRow> runs_of(const std::string& name) const;
    bool is_at_rest(const std::string& name);
    void judge(const PlannedSchedule&, const weft::schedule::ListedSchedule&);
    /// Reports runs that start in a pause, and schedules that start none after it.
    void judge_pauses();
    void judge_overlap(const PlannedSchedule&, std::vector<storage::RunRow>);

    World& world_;
    Ledger& ledger_;
    MachineClock clock_;
    const Runtime runtime_;
    Store& link_;
    Store& store_;
    Site site_;
    const std::shared_ptr<const Graph> target_;
    const weft::schedule::FindTarget find_target_;
    std::map<std::string, PlannedSchedule> planned_;  // by name
    unsigned in_flight_ = 0;                          // calls that have not ended
    unsigned quiet_looks_ = 0;                        // looks in a row that found all schedules at rest
    std::optional<schedule::Time> paused_;            // all schedules are paused since then
    bool pauses_all_ = false, removes_all_ = false;
};
}
