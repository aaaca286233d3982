// The names, times and policies come from two numbers of an outside event, so that a skipped event changes no other.
#include "tests/simulation/schedules.hpp"
#include "engine/json.hpp"
#include "engine/spawn.hpp"
#include "engine/terminal.hpp"
#include "engine/timeout.hpp"
#include "tests/simulation/history.hpp"

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
using schedule::ListedSchedule, schedule::MissedTimes, schedule::Overlap, schedule::ScheduleEvent;
namespace {
constexpr std::uint64_t value_of_scheduled = 5;
constexpr std::size_t most_schedules = 3;
const std::string workflow_of_schedules(schedule::keeping.name);

std::string prefix_of(const std::string& name) { return "schedule:" + name + '@'; }
std::int64_t seconds_of(schedule::Time at) { return at.time_since_epoch().count(); }
}
ScheduleSet::ScheduleSet(World& world, Ledger& ledger, Machine& caller, Store& link_of_caller, Store& store)
    : world_(world),
      ledger_(ledger),
      clock_(caller),
      runtime_{caller.executor(), &clock_},
      link_(link_of_caller),
      store_(store),
      site_(world, nullptr),
      target_(draw_graph(world, "scheduled", 1 + unsigned(world.below(5)), 0)),
      find_target_(schedule::targets({site_.definition(*target_)})) {}
schedule::Schedules ScheduleSet::offered_at(Site& site) const {
    return schedule::schedules_of(schedule::targets({site.definition(*target_)}));
}
std::string ScheduleSet::act(std::uint64_t a, std::uint64_t b) {
    if (planned_.empty() || (a % 3 == 0 && planned_.size() < most_schedules)) return add(b);
    auto& chosen = *std::next(planned_.begin(), std::ptrdiff_t(b % planned_.size()));
    const bool pauses = a % 2 == 0;
    chosen.second.has_paused = true;
    spawn_at_caller(change(chosen.first, pauses ? Change::pause : Change::resume));
    return (pauses ? "somebody pauses the schedule " : "somebody resumes the schedule ") + chosen.first;
}
std::string ScheduleSet::add(std::uint64_t b) {
    const auto name = "s" + std::to_string(planned_.size() + 1);
    auto& planned = planned_[name];
    auto& event = planned.event;
    event.name = name;
    event.workflow = target_->name;
    const bool is_limited = b % 3 == 0;
    if (is_limited) event.queue = ledger_.limits.queue;
    event.input.text = R"({"cargo":{"value":)" + std::to_string(value_of_scheduled) + R"(,"round":0,"from":""}})";
    event.last = std::chrono::floor<std::chrono::seconds>(clock_.wall());
    // A schedule with shorter intervals than five seconds never leaves its place in the queue.
    const std::chrono::seconds interval((is_limited ? 6 : 2) + b / 3 % 12);
    event.timetable.text = schedule::Timetable::every(interval, event.last).to_json();
    event.overlap = std::vector{Overlap::skip, Overlap::wait, Overlap::allow, Overlap::cancel}[b / 64 % 4];
    event.missed = std::vector{MissedTimes::none, MissedTimes::last, MissedTimes::all}[b / 256 % 3];
    if (event.missed == MissedTimes::all && event.overlap == Overlap::skip) event.missed = MissedTimes::last;
    if (event.missed == MissedTimes::all) event.window = 1h;
    spawn_at_caller(put(planned));
    return "somebody adds the schedule " + name + ", every " + std::to_string(interval.count()) + " s";
}
void ScheduleSet::spawn_at_caller(awaitable<void> work) {
    ++in_flight_;
    spawn(runtime_, std::move(work), [this](const std::exception_ptr& error) {
        --in_flight_;
        if (error) ledger_.fault("a call about schedules fails: " + sentence_of(error));
    });
}
awaitable<void> ScheduleSet::put(PlannedSchedule& planned) {
    for (bool is_repeated = false; !planned.is_stored; is_repeated = true) {
        try {
            auto adding = schedule::add(link_, planned.event, find_target_);
            (void)co_await std::move(adding);
            planned.is_stored = true;
        } catch (const Error& error) {
            planned.is_stored = is_repeated && error.code() == Code::usage;  // the first call has stored it
            if (!planned.is_stored && error.code() != Code::journal) throw;
        }
        if (!planned.is_stored) co_await sleep_for(1s);
    }
}
awaitable<void> ScheduleSet::change(std::string name, Change change) {
    for (bool is_done = false; !is_done;) {
        try {
            if (change == Change::remove) {
                auto removing = schedule::remove(link_, name);
                (void)co_await std::move(removing);
            } else {
                auto changing = change == Change::pause ? schedule::pause(link_, name) : schedule::resume(link_, name);
                co_await std::move(changing);
            }
            is_done = true;
        } catch (const Error& error) { is_done = error.code() == Code::usage; }  // it does not exist, or has ended
        if (!is_done) co_await sleep_for(1s);
    }
}
awaitable<void> ScheduleSet::find(std::string name, std::optional<ListedSchedule>& found) {
    auto finding = schedule::find(store_, std::move(name));
    found = co_await std::move(finding);
}
std::vector<RunRow> ScheduleSet::runs_of(const std::string& name) const {
    std::vector<RunRow> found;
    store_.list({.workflows = {target_->name}}, [&](const std::exception_ptr&, const std::vector<RunRow>& rows) {
        for (const auto& each : rows)
            if (each.start_key.starts_with(prefix_of(name))) found.push_back(each);
    });
    return found;
}
bool ScheduleSet::is_at_rest(const std::string& name) {
    const auto run = workflow_of_schedules + ':' + name;
    bool has_mail = false;
    store_.load_mail(run, [&](const std::exception_ptr&, const std::vector<Mail>& mail) { has_mail = !mail.empty(); });
    if (has_mail || ledger_.row(run).status != RunStatus::waiting) return false;
    if (auto& paused = planned_[name].paused; paused == 0) paused = world_.microseconds();
    return std::ranges::all_of(runs_of(name), [](const RunRow& each) { return has_ended(each.status); });
}
bool ScheduleSet::come_to_rest() {
    if (in_flight_ > 0) return false;
    if (!std::exchange(pauses_all_, true))
        for (auto& each : planned_) spawn_at_caller(change(each.first, Change::pause));
    if (in_flight_ > 0) return false;
    if (!paused_) paused_ = std::chrono::floor<std::chrono::seconds>(clock_.wall());
    const bool are_at_rest = std::ranges::all_of(planned_, [this](auto& each) { return is_at_rest(each.first); });
    quiet_looks_ = are_at_rest ? quiet_looks_ + 1 : 0;  // a run may still wake once for the end of a former sleep
    return quiet_looks_ > 4;
}
void ScheduleSet::judge() {
    for (auto& [name, planned] : planned_) {
        std::optional<ListedSchedule> found;
        auto finding = find(name, found);
        spawn_at_caller(std::move(finding));
        world_.run_until(world_.now() + 1s);
        if (found) judge(planned, *found);
        else ledger_.fault("the schedule " + name + " is lost");
    }
    judge_pauses();
}
void ScheduleSet::judge(const PlannedSchedule& planned, const ListedSchedule& found) {
    const auto& name = planned.event.name;
    if (!is_at_rest(name) || !schedule::is_paused(found.event)) {
        const auto row = ledger_.row(found.run);
        auto sentence = "the schedule " + name + " does not come to rest: it is " +
                        std::string(weft::name(row.status)) + (row.owner.empty() ? "" : " at " + row.owner) +
                        ", its state " + to_json(found.event).dump();
        for (const auto& run : runs_of(name))
            if (!has_ended(run.status)) sentence += ", " + run.id + " is " + std::string(weft::name(run.status));
        return ledger_.fault(std::move(sentence));
    }
    const auto timetable = found.timetable();
    std::map<std::string, schedule::Time> times;  // by the key of their run
    std::int64_t settled = found.event.waiting ? -1 : 0;
    for (auto at = timetable.next(planned.event.last); at && *at < clock_.wall(); at = timetable.next(*at)) {
        times[schedule::key_of(planned.event, *at)] = *at;
        settled += *at <= found.event.last;
    }
    const auto rows = runs_of(name);
    for (const auto& row : rows) {
        ++ledger_.counts.firings;
        const auto at = times.find(row.start_key);
        if (at == times.end()) ledger_.fault("the run " + row.id + " is of no time of its schedule");
        else if (row.created_at <
                 (seconds_of(at->second) - 4) * 1'000'000)  // a difference of two seconds counts as none
            ledger_.fault("the run " + row.id + " starts before its time");
        compare(ledger_, row.id, *target_, value_of_scheduled, row);
    }
    judge_overlap(planned, rows);
    if (found.event.started != std::int64_t(rows.size()))
        ledger_.fault("the schedule " + name + " counts " + std::to_string(found.event.started) + " runs, and has " +
                      std::to_string(rows.size()));
    if (planned.has_paused || found.event.firings.size() == schedule::most_firings) return;
    std::int64_t told = 0;
    for (const auto& firing : found.event.firings) told += firing.times;
    if (told != settled)
        ledger_.fault("the schedule " + name + " has had " + std::to_string(settled) + " times, and tells of " +
                      std::to_string(told));
}
void ScheduleSet::judge_pauses() {
    world_.run_until(world_.now() + 40s);
    std::map<std::string, std::size_t> before;
    for (const auto& [name, planned] : planned_) {
        for (const auto& run : runs_of(name))
            if (run.created_at > planned.paused + 10'000'000)  // a start may be on its way
                ledger_.fault("the schedule " + name + " starts a run while it is paused");
        before[name] = runs_of(name).size();
    }
    const auto resumed = std::chrono::floor<std::chrono::seconds>(clock_.wall());
    for (const auto& each : planned_) spawn_at_caller(change(each.first, Change::resume));
    world_.run_until(world_.now() + 60s);
    for (const auto& [name, count] : before) {
        if (runs_of(name).size() == count) ledger_.fault("the resumed schedule " + name + " starts no run");
        std::set<std::string> keys;
        for (const auto& run : runs_of(name)) keys.insert(run.start_key);
        // The owner of a schedule reads the pause with one of its next heartbeats.
        for (auto at = paused_.value_or(resumed) + 6s; at < resumed - 4s; at += 1s)
            if (keys.contains(schedule::key_of(planned_[name].event, at)))
                ledger_.fault("the schedule " + name +
                              " makes up for a time of its pause: " + schedule::key_of(planned_[name].event, at));
    }
}
void ScheduleSet::judge_overlap(const PlannedSchedule& planned, std::vector<RunRow> rows) {
    if (planned.event.overlap == Overlap::allow || planned.event.overlap == Overlap::cancel) return;
    std::ranges::sort(rows, {}, &RunRow::created_at);
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i].created_at < rows[i - 1].updated_at)
            ledger_.fault("the run " + rows[i].id + " starts although " + rows[i - 1].id + " has not ended");
}
bool ScheduleSet::have_ended() {
    if (!std::exchange(removes_all_, true))
        for (auto& each : planned_) spawn_at_caller(change(each.first, Change::remove));
    if (in_flight_ > 0) return false;
    return std::ranges::all_of(planned_, [this](auto& each) {
        return has_ended(ledger_.row(workflow_of_schedules + ':' + each.first).status);
    });
}
}
