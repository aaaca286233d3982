// A server resumes the runs of an earlier server when it starts, and its own after it has lost its lease. The start
// blocks for the store's answers, since no loop runs yet.
#include "engine/clock.hpp"
#include "engine/error.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/server/runs/served_runs.hpp"
#include <algorithm>
#include <boost/asio/detached.hpp>
#include <thread>

namespace weft::server {
using namespace storage;
namespace {
constexpr std::size_t most_restored = 1'000'000, log_page = 1000;
constexpr std::chrono::milliseconds longest_lease = std::chrono::seconds(12), between_looks{250};
constexpr std::chrono::milliseconds between_looks_for_lost = std::chrono::seconds(1);
/// The time in which the owner of an ended run repeats failed writes of its last events.
constexpr std::chrono::milliseconds for_last_events = std::chrono::seconds(10);

}
bool ServedRuns::is_of_a_server(const RunRow& row) {
    try {
        return !row.options.empty() && !catalog::read_stored_run_options(row).handler.empty();
    } catch (const Error&) { return false; }
}
struct ServedRuns::LoggedState {
    std::uint64_t next = 0;           // number of the next event
    bool has_last = false;            // the log has the run's last event
    std::set<std::string> questions;  // their ids
    void look_at(const LogEntry& entry) {
        constexpr std::string_view asks = R"("types":["InputRequiredEvent"],"question":")",
                                   ends = R"("types":["StopEvent"]})";
        has_last = entry.body.ends_with(ends);
        const auto at = entry.body.rfind(asks);
        if (at == entry.body.npos) return;
        const auto id = entry.body.substr(at + asks.size());
        questions.insert(id.substr(0, id.find('"')));
    }
};
/// Reads the stored log; for an ended run only its last event.
awaitable<ServedRuns::LoggedState> ServedRuns::told_of(Store& store, const RunRow& row) {
    const auto read = [&store, id = row.id](std::uint64_t from, std::size_t most) {
        return store_reply<LogPart>([&](auto then) { store.read_log(id, from, most, std::move(then)); });
    };
    LoggedState told;
    const bool ended = has_ended(row.status);
    if (ended) {
        auto asking = read(0, 0);
        const auto part = co_await std::move(asking);
        told.next = part.next > 0 ? part.next - 1 : 0;
    }
    for (;;) {
        auto reading = read(told.next, ended ? 1 : log_page);
        const auto part = co_await std::move(reading);
        for (const auto& entry : part.entries) told.look_at(entry);
        told.next += part.entries.size();
        if (part.entries.empty() || told.next >= part.next) co_return told;
    }
}

std::vector<RunRow> ServedRuns::stored_rows(std::vector<RunStatus> statuses, std::size_t most) const {
    Filter filter;
    filter.statuses = std::move(statuses);
    filter.most = most;
    return answer_of<std::vector<RunRow>>([&](auto then) { options_.store->list(std::move(filter), std::move(then)); });
}
/// Waits for the last events of a run that has just ended, as its owner may still write them. Events of two processes
/// with the same numbers would give its clients other events than the store has.
awaitable<ServedRuns::LoggedState> ServedRuns::told_by_owner(const RunRow& row) {
    const auto end = WallTime(std::chrono::microseconds(row.updated_at));
    for (auto looks = for_last_events / between_looks;; --looks) {
        auto reading = told_of(*options_.store, row);
        auto told = co_await std::move(reading);
        const bool has_owner = options_.store->is_shared() && has_ended(row.status) && !told.has_last;
        if (!has_owner || looks == 0 || real_clock().wall() - end > for_last_events) co_return told;
        co_await sleep_for(between_looks);
    }
}
// A killed server seems alive until its lease ends. Then its runs are ready, and continue here. A live server keeps its
// runs.
void ServedRuns::wait_for_leases() const {
    if (!options_.store->is_shared()) return;
    const auto until = std::chrono::steady_clock::now() + longest_lease;
    for (bool has_said = false; std::chrono::steady_clock::now() < until;) {
        const auto rows = stored_rows({RunStatus::running}, most_restored);
        const auto ours = std::ranges::count_if(rows, is_of_a_server);
        if (ours == 0) return;
        if (options_.note && !std::exchange(has_said, true))
            options_.note("another process has " + std::to_string(ours) + " of the runs in this store: waiting up to " +
                          in_seconds(longest_lease) + " for the end of its lease, in case it has died");
        std::this_thread::sleep_for(between_looks);
    }
}
void ServedRuns::restore() {
    if (!options_.store) return;
    using enum RunStatus;
    wait_for_leases();
    restore_all(stored_rows({ready, RunStatus::running, waiting}, most_restored));
    restore_all(stored_rows(ended_statuses(), options_.limits.kept));
    std::ranges::reverse(ended_);
}
/// The newest rows come first.
void ServedRuns::restore_all(const std::vector<RunRow>& rows) {
    for (const auto& row : rows) try {
            if (has_ended(row.status) && ended_bytes_ > options_.limits.kept_bytes) return;
            wait_for(restore(row));
        } catch (const std::exception& error) {
            if (options_.note) options_.note("run " + repair_utf8(row.id) + " is not served: " + error.what());
        }
}
awaitable<void> ServedRuns::restore(RunRow row) {
    if (row.options.empty()) co_return;  // a run of a program other than weft
    const auto kept = catalog::read_stored_run_options(row);
    if (kept.handler.empty()) co_return;  // a run for a worker
    workflow(row.workflow);
    if (row.status == RunStatus::running && options_.store->is_shared())
        throw Error(Code::usage, "another process executes it");
    const auto& handler = row.forked_from.empty() ? kept.handler : row.id;  // the original run has the handler
    const auto before = find_by_id(row.id);
    auto reading = told_by_owner(row);
    auto told = co_await std::move(reading);
    if (find_by_id(row.id) != before) co_return;  // a request for its key has restored it meanwhile
    if (has_ended(row.status)) restore_ended(row, handler, told);
    else restore_running(row, handler, kept.input, std::move(told));
}
void ServedRuns::put(const RunPointer& run) {
    auto& of_handler = by_handler_[run->identity.handler];
    if (!of_handler || of_handler->identity.id == run->identity.id) of_handler = run;
    by_id_[run->identity.id] = run;
}
void ServedRuns::restore_ended(const RunRow& row, const std::string& handler, const LoggedState& told) {
    auto run = ServedRun::restored({handler, row.id, row.workflow}, options_.limits.log, row);
    run->log()->keep_in(*options_.store, row.id, engine_.first_runtime(), told.next, told.has_last);
    run->log()->set_epoch(row.epoch);
    if (!told.has_last) run->log()->add(run->last_envelope(), true);
    std::lock_guard lock(mutex_);
    put(run);
    ended_.push_back({row.id, run->bytes()});
    ended_bytes_ += run->bytes();
}
void ServedRuns::restore_running(const RunRow& row, const std::string& handler, const nlohmann::json& input,
                                 LoggedState told) {
    auto run = ServedRun::make({handler, row.id, row.workflow}, options_.limits.log,
                               WallTime(std::chrono::microseconds(row.created_at)));
    run->log()->keep_in(*options_.store, row.id, engine_.first_runtime(), told.next);
    if (waits_to_begin(row)) run->will_begin(WallTime(std::chrono::microseconds(row.wake_at.value_or(0))));
    {
        std::lock_guard lock(mutex_);
        put(run);
        count_given(*run, row.options.size());  // counts even beyond the limit
        ++running_;
        ++running_of_[0];
    }
    RunRequest request{.input = input, .handler = handler, .conversation = {}, .history = {}};
    const auto on_end = [weak = weak_from_this()](ServedRun& which) {
        if (const auto self = weak.lock()) self->ended(which, 0);
    };
    try {
        run->resume(workflow(row.workflow), request, {}, on_end, std::move(told.questions));
    } catch (...) {
        ended(*run, 0);
        throw;
    }
    auto watching = watch(run);
    spawn(engine_.first_runtime(), std::move(watching), asio::detached);
}
awaitable<void> ServedRuns::watch(RunPointer run) {
    const auto weak = weak_from_this();
    auto waiting = run->until_refused();
    const auto why = co_await std::move(waiting);
    const auto self = weak.lock();
    if (!self || !why) co_return;
    ended(*run, 0);
    if (options_.note) options_.note("run " + run->identity.id + " is not served: " + *why);
}

// ----- runs that left memory with their lease

void ServedRuns::take_up_later(const std::string& id, std::unique_lock<std::mutex>& lock) {
    lost_.insert(id);
    if (std::exchange(looks_for_lost_, true)) return;
    lock.unlock();
    if (options_.note) options_.note("the store has not answered for too long: runs continue when it answers again");
    auto looking = take_up_lost(weak_from_this());
    spawn(engine_.first_runtime(), std::move(looking), asio::detached);
}
awaitable<void> ServedRuns::take_up_lost(std::weak_ptr<ServedRuns> weak) {
    for (bool more = true; more;) {
        auto resting = sleep_for(between_looks_for_lost);
        co_await std::move(resting);
        const auto self = weak.lock();
        if (!self) co_return;
        auto looking = self->look_for_lost();
        more = co_await std::move(looking);
    }
}
// Lost runs are ready as soon as any process has found their former owner dead. By then this process is a new owner.
awaitable<bool> ServedRuns::look_for_lost() {
    Filter filter;
    std::set<std::string> missing;
    {
        std::lock_guard lock(mutex_);
        std::erase_if(lost_, [&](const auto& id) { return !by_id_.contains(id); });  // purged
        looks_for_lost_ = !let_go_ && !lost_.empty();
        if (!looks_for_lost_) co_return false;
        filter.ids.assign(lost_.begin(), lost_.end());
        missing = lost_;
    }
    filter.most = filter.ids.size();
    std::vector<RunRow> rows;
    try {
        auto asking = store_reply<std::vector<RunRow>>(
            [&](auto then) { options_.store->list(std::move(filter), std::move(then)); });
        rows = co_await std::move(asking);
    } catch (const Error&) { co_return true; }  // the store still fails
    for (auto& row : rows) missing.erase(row.id);
    for (auto& id : missing) give_up(id, Code::journal, "it left memory before its store had it");
    for (auto& row : rows) {
        if (row.status == RunStatus::running) continue;
        {
            std::lock_guard lock(mutex_);
            lost_.erase(row.id);
        }
        std::string why;
        auto code = Code::step_failed;
        try {
            auto restoring = restore(row);
            co_await std::move(restoring);
        } catch (const Error& error) {
            why = error.what();
            code = error.code();
        } catch (const std::exception& error) { why = error.what(); }
        if (code == Code::journal) {  // the store fails again
            std::lock_guard lock(mutex_);
            lost_.insert(row.id);
        } else if (!why.empty()) give_up(row.id, code, why);
    }
    co_return true;
}
void ServedRuns::give_up(const std::string& id, Code code, const std::string& why) {
    RunPointer run;
    {
        std::lock_guard lock(mutex_);
        lost_.erase(id);
        if (const auto at = by_id_.find(id); at != by_id_.end()) run = at->second;
    }
    if (run) run->refuse(code, why);
    if (options_.note) options_.note("run " + repair_utf8(id) + " is not served: " + why);
}
}
