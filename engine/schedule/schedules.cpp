// The first tick of a schedule's run has its state, because each round begins again.
#include "engine/schedule/schedules.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/record.hpp"
#include "engine/event_json.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include "engine/store/damaged.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::schedule {
namespace {
using namespace std::chrono_literals;
using nlohmann::json;
using storage::History, storage::RunRow;
constexpr std::size_t most_listed = 10'000;

/// For a definition whose steps are never called.
class NoRuns final : public ScheduledRuns {
    awaitable<std::string> start(RunToStart) override { refuse(); }
    awaitable<std::vector<std::string>> unfinished(std::vector<std::string>) override { refuse(); }
    awaitable<void> cancel(std::string) override { refuse(); }
    [[noreturn]] static void refuse() { throw Error(Code::usage, "this form of a schedule is only for stores"); }
};
std::string run_of(const std::string& name) { return std::string(keeping.name) + ':' + name; }
std::string quoted_name(std::string_view name) { return '"' + excerpt(name, longest_name) + '"'; }

void check_name(std::string_view name) {
    const auto fits = [](char c) { return is_word_part(c) || c == '-' || c == '.'; };
    if (name.empty() || name.size() > longest_name || !std::all_of(name.begin(), name.end(), fits) || name[0] == '-')
        throw Error(Code::usage, "the schedule's name " + quoted_name(name) + " is not allowed: write up to " +
                                     std::to_string(longest_name) +
                                     " letters, digits, dots, hyphens and underscores, without a hyphen first");
}
void check_event(const ScheduleEvent& schedule, const Timetable& timetable, const FindTarget& find) {
    check_name(schedule.name);
    if (schedule.input.text.size() > longest_input)
        throw Error(Code::usage, "the input of schedule " + quoted_name(schedule.name) + " has more than " +
                                     std::to_string(longest_input) + " bytes: store the data elsewhere, and name it");
    if (schedule.missed == MissedTimes::all && !schedule.window)
        throw Error(Code::usage, "a schedule that makes up for all missed times needs a window, such as 1 hour");
    if (schedule.missed == MissedTimes::all && schedule.overlap == Overlap::skip)
        throw Error(Code::usage, "a schedule cannot make up for all missed times and skip those that overlap, because "
                                 "the first one would leave out the others: take overlap wait, allow or cancel");
    if (schedule.window && (*schedule.window < 1s || *schedule.window > std::chrono::years(10)))
        throw Error(Code::usage, "the window of a schedule is 1 second to 10 years: give another one");
    if (schedule.timeout_ms && (*schedule.timeout_ms < 1ms || *schedule.timeout_ms > std::chrono::years(10)))
        throw Error(Code::usage, "the timeout of a schedule's runs is 1 millisecond to 10 years: give another one");
    const auto input = to_json(schedule.input);
    const auto target = find(schedule.workflow, input);
    if (!target.definition->durable)
        throw Error(Code::usage, "the runs of workflow " + schedule.workflow +
                                     " cannot be stored, so no schedule starts them: give it durable(workflow)");
    read_event(start_event(*target.definition), input, "input");
    if (!timetable.next(schedule.last))
        throw Error(Code::usage,
                    "schedule " + quoted_name(schedule.name) + " has no time left: " + timetable.in_words());
}
/// The changes by signals, also by those that no engine has taken yet.
ScheduleChanges changes_of(const History& history, const std::vector<journal::JournalEntry>& entries) {
    ScheduleChanges changes;
    const auto slots = journal::fold_slots(entries);
    if (const auto slot = slots.find("schedule_changes"); slot != slots.end())
        changes = from_json<ScheduleChanges>(slot->second, history.run.id);
    for (const auto& mail : history.mail) {
        const auto record = journal::read_mail(mail.body);
        if (!record || !record->event || !record->data) continue;
        const auto at = [&] { return from_json<ResumeScheduleEvent>(*record->data, history.run.id).at; };
        if (*record->event == core::type_name<PauseScheduleEvent>) add_change(changes, {true, at()});
        if (*record->event == core::type_name<ResumeScheduleEvent>) add_change(changes, {false, at()});
    }
    return changes;
}
ListedSchedule listed(const History& history) {
    const auto entries = journal::read_entries(history);
    const auto* tick = entries.empty() ? nullptr : journal::tick_of(entries.front().record);
    if (!tick || tick->events.empty())
        throw Error(Code::bad_json, "run " + history.run.id + " has no state of a schedule");
    auto event = from_json<ScheduleEvent>(tick->events.front().data, history.run.id);
    return {.run = history.run.id,
            .status = history.run.status,
            .is_ending = journal::has_cancel(history.mail),
            .event = with_changes(std::move(event), changes_of(history, entries))};
}
awaitable<std::vector<RunRow>> rows_of(Store& store, storage::Filter filter) {
    return store_reply<std::vector<RunRow>>([&](auto then) { store.list(std::move(filter), std::move(then)); });
}
awaitable<History> load_history(Store& store, std::string run) {
    return store_reply<History>([&](auto then) { store.load(run, std::move(then), 0); });
}
awaitable<ListedSchedule> load(Store& store, std::string run) {
    auto loading = load_history(store, run);
    const auto history = co_await std::move(loading);
    co_return listed(history);
}
[[noreturn]] void refuse_ended(std::string_view name) {
    throw Error(Code::usage, "schedule " + quoted_name(name) + " has ended or been removed: add it again");
}
awaitable<RunRow> row_of(Store& store, std::string name) {
    check_name(name);
    auto asking = rows_of(store, {.ids = {run_of(name)}});
    auto rows = co_await std::move(asking);
    if (rows.empty())
        throw Error(Code::usage, "there is no schedule " + quoted_name(name) + ": `weft schedule list` lists them");
    co_return std::move(rows.front());
}
awaitable<ListedSchedule> unended(Store& store, std::string name) {
    auto finding = find(store, name);
    auto found = co_await std::move(finding);
    if (has_ended(found.status)) refuse_ended(name);
    if (found.is_ending)
        throw Error(Code::usage, "schedule " + quoted_name(name) + " is removed, and ends when a worker takes its run");
    co_return found;
}
template <class Signal> awaitable<void> signal(Store& store, std::string name, Signal event) {
    auto finding = unended(store, name);
    const auto found = co_await std::move(finding);
    auto sending = mail_signal(
        store, {found.run, core::hex(core::draw_seed()),
                journal::write_mail({.data = to_json(event), .event = std::string(core::type_name<Signal>)})});
    const auto sent = co_await std::move(sending);
    if (!sent.is_new && has_ended(sent.status)) refuse_ended(name);
}
[[noreturn]] void refuse_taken(const ListedSchedule& known) {
    const auto name = quoted_name(known.event.name);
    throw Error(Code::usage, known.is_ending
                                 ? "schedule " + name +
                                       " is about to end: wait until a worker has taken its run, or take "
                                       "another name"
                                 : "there is a schedule " + name + " already: remove it first, or take another name");
}
/// The schedule as it was made, without its state.
nlohmann::json made_form(const ScheduleEvent& schedule) {
    auto form = to_json(schedule);
    for (const char* state : {"pauses", "last", "waiting", "started", "run", "by_hand", "firings", "problem"})
        form.erase(state);
    return form;
}
/// Deletes the run of an ended schedule, whose name may be taken again.
awaitable<void> free_name(Store& store, std::string name) {
    auto asking = rows_of(store, {.ids = {run_of(name)}});
    const auto rows = co_await std::move(asking);
    if (rows.empty()) co_return;
    if (!has_ended(rows.front().status)) {
        auto loading = load(store, run_of(name));
        refuse_taken(co_await std::move(loading));
    }
    auto pruning = store_reply<std::uint64_t>(
        [&](auto then) { store.prune({.ids = {run_of(name)}}, std::move(then)); });
    (void)co_await std::move(pruning);
}
}

awaitable<Time> present() {
    auto& clock = co_await this_clock();
    co_return std::chrono::floor<std::chrono::seconds>(clock.wall());
}
const std::shared_ptr<const Definition>& stored_form() {
    static NoRuns none;
    static const std::shared_ptr<const Definition> form = durable(keeping.with(none)).definition;
    return form;
}
awaitable<std::string> add(Store& store, ScheduleEvent schedule, FindTarget find,
                           std::function<std::string(const ScheduleEvent&)> describe) {
    if (schedule.last == Time()) schedule.last = co_await present();
    check_event(schedule, Timetable::from_json(schedule.timetable.text), find);
    auto freeing = free_name(store, schedule.name);
    co_await std::move(freeing);
    RunOptions options;
    options.key = schedule.name;
    options.queue = schedule.queue;
    if (describe) options.stored = describe(schedule);
    auto putting = put_run(store, stored_form(), to_json(schedule), options);
    const auto run = co_await std::move(putting);
    auto loading = load(store, run);
    const auto stored = co_await std::move(loading);
    if (made_form(stored.event) != made_form(schedule)) refuse_taken(stored);  // another process was first
    co_return run;
}
awaitable<std::vector<ListedSchedule>> list(Store& store) {
    using enum RunStatus;
    auto asking = rows_of(store, {.workflows = {std::string(keeping.name)},
                                  .statuses = {ready, running, waiting, done, failed, timed_out},
                                  .most = most_listed});
    const auto rows = co_await std::move(asking);
    std::vector<ListedSchedule> all;
    for (const auto& row : rows) {
        if (row.id != run_of(row.start_key)) continue;  // a fork
        auto loading = load_history(store, row.id);
        std::optional<History> history;
        ListedSchedule found{.run = row.id, .status = row.status, .event = {}, .damage = {}};
        found.event.name = row.start_key;
        try {
            history = co_await std::move(loading);
            found = listed(*history);
        } catch (const storage::DamagedError& error) { found.damage = error.what(); } catch (const Error& error) {
            if (!history) throw;
            found.damage = error.what();
        }
        all.push_back(std::move(found));
    }
    std::ranges::sort(all, {}, [](const ListedSchedule& each) { return each.event.name; });
    co_return all;
}
awaitable<ListedSchedule> find(Store& store, std::string name) {
    auto asking = row_of(store, name);
    const auto row = co_await std::move(asking);
    auto loading = load(store, row.id);
    co_return co_await std::move(loading);
}
awaitable<void> pause(Store& store, std::string name) {
    PauseScheduleEvent event;
    event.at = co_await present();
    auto sending = signal(store, std::move(name), event);
    co_await std::move(sending);
}
awaitable<void> resume(Store& store, std::string name) {
    ResumeScheduleEvent event;
    event.at = co_await present();
    auto sending = signal(store, std::move(name), event);
    co_await std::move(sending);
}
awaitable<std::string> run_now(Store& store, std::string name, FindTarget find_target) {
    auto finding = unended(store, name);
    const auto found = co_await std::move(finding);
    auto& clock = co_await this_clock();
    const auto now = clock.wall();
    const auto& of = found.event;
    const auto key = "schedule:" + of.name + '@' + to_json(now).get<std::string>() + ":by_hand";
    auto starting = put_run(store, find_target, {of.workflow, of.queue, key, of.input, of.timeout_ms});
    StartedByHandEvent started;
    started.firing.kind = FiringKind::by_hand;
    started.firing.at = std::chrono::floor<std::chrono::seconds>(now);
    started.firing.run = co_await std::move(starting);
    const auto run = started.firing.run;
    auto noting = signal(store, std::move(name), std::move(started));
    try {
        co_await std::move(noting);
    } catch (const Error& error) {
        if (error.code() != Code::usage) throw;  // else the schedule has ended meanwhile, or its inbox is full
    }
    co_return run;
}
awaitable<bool> remove(Store& store, std::string name) {
    auto asking = row_of(store, name);
    const auto row = co_await std::move(asking);
    if (has_ended(row.status)) refuse_ended(name);
    auto sending = store_reply<storage::SendReply>(
        [&](auto then) { store.send(journal::cancellation_of(row.id), std::move(then)); });
    (void)co_await std::move(sending);
    auto ending = end_unowned(store, row.id);
    bool is_over = false;
    try {
        is_over = co_await std::move(ending);
    } catch (const Error& error) {
        if (error.code() != Code::usage) throw;  // else only the engine of another process may end runs of this store
    }
    co_return is_over;
}
}
