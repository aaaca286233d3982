// Routes of the store's schedules. A worker executes them, perhaps in the same process.
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/store_reply.hpp"
#include "workflows/catalog/schedules.hpp"
#include "workflows/server/service.hpp"
#include <algorithm>

namespace weft::server {
namespace {
using nlohmann::json;
using schedule::ListedSchedule, schedule::ScheduleEvent;

/// The body that adds a schedule. Its members are those of a listed schedule.
struct NewSchedule {
    std::string workflow, queue = "default";
    JsonText input{"{}"}, timetable;
    schedule::MissedTimes missed = schedule::MissedTimes::last;
    std::optional<std::chrono::seconds> window;
    std::optional<schedule::Overlap> overlap;
    std::optional<std::chrono::milliseconds> timeout_ms;
    static constexpr std::string_view optional_fields[] = {"queue", "input", "missed"};
};
BOOST_DESCRIBE_STRUCT(NewSchedule, (), (workflow, queue, input, timetable, missed, window, overlap, timeout_ms))
constexpr std::string_view new_members[] = {"workflow", "queue",  "input",   "timetable",
                                            "missed",   "window", "overlap", "timeout_ms"};

/// For a handler of exceptions: the refusal as a problem. Throws other errors on.
Problem refusal(const Error& error, unsigned status) {
    if (error.code() != Code::usage && error.code() != Code::bad_json) throw;
    return {status, error.what()};
}
ScheduleEvent schedule_in(json body, const std::string& name, schedule::Time now) {
    for (const auto& [member, value] : body.items())
        if (std::ranges::find(new_members, member) == std::end(new_members))
            refuse_unknown("the body has a member", member, new_members);
    if (const auto timetable = body.find("timetable"); timetable != body.end()) {
        if (!timetable->is_object())
            throw Problem(400,
                          R"("timetable" has to be {"cron": TEXT, "zone": TEXT}, {"every": SECONDS} or {"at": TIME})");
        if (timetable->contains("cron")) timetable->emplace("zone", "UTC");
        if (timetable->contains("every")) timetable->emplace("anchor", to_json(now));
    }
    auto given = from_json<NewSchedule>(body, "schedule");
    const auto usual = given.missed == schedule::MissedTimes::all ? schedule::Overlap::wait : schedule::Overlap::skip;
    ScheduleEvent made;
    made.name = name;
    made.workflow = std::move(given.workflow);
    made.queue = std::move(given.queue);
    made.input = std::move(given.input);
    made.timetable = std::move(given.timetable);
    made.missed = given.missed;
    made.window = given.window;
    made.overlap = given.overlap.value_or(usual);
    made.timeout_ms = given.timeout_ms;
    return made;
}
/// Throws Problem 404 if the store has no schedule of this name.
awaitable<ListedSchedule> existing(Store& store, std::string name) {
    try {
        auto finding = schedule::find(store, name);
        co_return co_await std::move(finding);
    } catch (const Error& error) { throw refusal(error, 404); }
}
awaitable<void> reply_schedule(Service& service, RouteCall& call) {
    auto& store = store_of(service, "schedules");
    auto finding = existing(store, call.part(0));
    const auto found = co_await std::move(finding);
    const auto now = co_await schedule::present();
    const auto one = catalog::describe_schedule(found, now);
    std::vector<storage::RunRow> started;
    storage::Filter runs;
    runs.ids = catalog::started_runs(one);
    if (!runs.ids.empty()) {
        auto listing = store_reply<std::vector<storage::RunRow>>([&](auto then) { store.list(runs, std::move(then)); });
        started = co_await std::move(listing);
    }
    auto answering = reply(call, 200, catalog::with_statuses(one, started));
    co_await std::move(answering);
}
awaitable<void> get_schedules(Service& service, RouteCall& call) {
    auto listing = schedule::list(store_of(service, "schedules"));
    const auto all = co_await std::move(listing);
    const auto now = co_await schedule::present();
    auto rows = json::array();
    for (const auto& each : all) rows.push_back(to_json(catalog::describe_schedule(each, now)));
    json body = json::object();
    body["schedules"] = std::move(rows);
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
awaitable<void> add_schedule(Service& service, RouteCall& call) {
    auto& store = store_of(service, "schedules");
    const auto now = co_await schedule::present();
    try {
        auto made = schedule_in(call.body(), call.part(0), now);
        auto adding = schedule::add(store, std::move(made), catalog::scheduled_target, catalog::schedule_options);
        (void)co_await std::move(adding);
    } catch (const Error& error) { throw refusal(error, 400); }
    auto answering = reply_schedule(service, call);
    co_await std::move(answering);
}
/// Replies with the state of the schedule after the change.
awaitable<void> change_schedule(Service& service, RouteCall& call, awaitable<void> (*change)(Store&, std::string)) {
    auto& store = store_of(service, "schedules");
    auto finding = existing(store, call.part(0));
    (void)co_await std::move(finding);
    try {
        auto changing = change(store, call.part(0));
        co_await std::move(changing);
    } catch (const Error& error) { throw refusal(error, 409); }
    auto answering = reply_schedule(service, call);
    co_await std::move(answering);
}
awaitable<void> pause_schedule(Service& service, RouteCall& call) {
    return change_schedule(service, call, schedule::pause);
}
awaitable<void> resume_schedule(Service& service, RouteCall& call) {
    return change_schedule(service, call, schedule::resume);
}
awaitable<void> remove_schedule(Service& service, RouteCall& call) {
    auto& store = store_of(service, "schedules");
    auto finding = existing(store, call.part(0));
    (void)co_await std::move(finding);
    bool has_ended = false;
    try {
        auto removing = schedule::remove(store, call.part(0));
        has_ended = co_await std::move(removing);
    } catch (const Error& error) { throw refusal(error, 409); }
    json body = json::object();
    body["status"] = has_ended ? "removed" : "ending";
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
awaitable<void> run_schedule(Service& service, RouteCall& call) {
    auto& store = store_of(service, "schedules");
    auto finding = existing(store, call.part(0));
    (void)co_await std::move(finding);
    std::string run;
    try {
        auto starting = schedule::run_now(store, call.part(0), catalog::scheduled_target);
        run = co_await std::move(starting);
    } catch (const Error& error) { throw refusal(error, 409); }
    json body = json::object();
    body["run"] = run;
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
constexpr Route schedule_table[] = {
    {"GET", "/schedules", Access::token, get_schedules},
    {"GET", "/schedules/{}", Access::token, reply_schedule},
    {"POST", "/schedules/{}", Access::token, add_schedule},
    {"POST", "/schedules/{}/pause", Access::token, pause_schedule},
    {"POST", "/schedules/{}/resume", Access::token, resume_schedule},
    {"POST", "/schedules/{}/run", Access::token, run_schedule},
    {"POST", "/schedules/{}/remove", Access::token, remove_schedule},
};
}
std::span<const Route> schedule_routes() { return schedule_table; }
}
