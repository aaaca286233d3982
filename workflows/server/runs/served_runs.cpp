// A run is listed before it begins, so that clients find it at its first event. A run that cannot begin is removed.
#include "workflows/server/runs/served_runs.hpp"
#include "engine/clock.hpp"
#include "engine/core/keeper.hpp"
#include "engine/error.hpp"
#include "engine/store/rules.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/server/guard/guard.hpp"
#include <algorithm>
#include <boost/asio/detached.hpp>

namespace weft::server {
using namespace storage;
namespace {
constexpr std::size_t id_size = 10, longest_handler = 128;
constexpr const char* command = "serve";
constexpr std::size_t in_memory = 3;  // copies of an input: JSON, event, argument of a step
constexpr std::size_t short_answer = 64 << 10;

[[noreturn]] void unknown_run(const std::string& id) {
    throw Problem(404, "there is no run \"" + excerpt(id, 60) + "\"");
}
RunsOptions with_shared_parts(RunsOptions options) {
    auto& log = options.limits.log;
    if (!log.cache) log.cache = std::make_shared<LogCache>();
    if (!log.held) log.held = std::make_shared<std::atomic<std::size_t>>(0);
    return options;
}
void check_handler(const std::string& id) {
    if (id.size() > longest_handler || !storage::can_be_run_id(id))
        throw Problem(400, "\"handler_id\" has to be a text of 1 to " + std::to_string(longest_handler) +
                               " bytes without control characters");
}
}

ServedRuns::ServedRuns(Engine& engine, std::vector<ServedWorkflow> workflows, RunsOptions options)
    : engine_(engine),
      workflows_(std::move(workflows)),
      options_(with_shared_parts(std::move(options))),
      logs_(options_.limits.log.held) {
    std::set<std::string_view> names;
    for (const auto& workflow : workflows_)
        if (!names.insert(workflow.name).second)
            throw Error(Code::usage, "two workflows of the server are called " + workflow.name +
                                         ": offer one of them under another name");
}
const ServedWorkflow& ServedRuns::workflow(std::string_view name) const {
    const auto at = std::ranges::find(workflows_, name, [](const auto& each) { return std::string_view(each.name); });
    if (at == workflows_.end()) throw Problem(404, "there is no workflow \"" + excerpt(name, 60) + "\"");
    return *at;
}
ServedRuns::RunPointer ServedRuns::start(std::string_view name, RunRequest request, RunOptions options,
                                         std::size_t caller) {
    const auto& served = workflow(name);
    if (request.handler.empty()) request.handler = random_text(id_size);
    else check_handler(request.handler);
    if (!options.timeout) options.timeout = options_.limits.timeout;
    auto id = options.key.empty() ? random_text(id_size) : core::stored_id(*served.definition, options);
    if (auto known = find_by_id(id)) return known;  // another request has started the run of the key since find_key()
    auto run = ServedRun::make({request.handler, std::move(id), served.name}, options_.limits.log, real_clock().wall());
    if (options.not_before && !(options_.store && served.stores_runs))
        throw Problem(400, "\"not_before\" needs a stored run, and this server does not store runs of " + served.name +
                               ": start it with a store, or leave out \"not_before\"");
    if (options.not_before) run->will_begin(*options.not_before);
    const auto before = add(run, request.bytes, caller);
    try {
        if (options_.store && served.stores_runs) {
            run->log()->keep_in(*options_.store, run->identity.id, engine_.first_runtime());
            catalog::AgentOptions kept;
            kept.command = command;
            options.stored = catalog::write_stored_run_options(kept, {}, served.name, request.input, request.handler);
        }
        run->begin(served, request, std::move(options), [weak = weak_from_this(), caller](ServedRun& which) {
            if (const auto self = weak.lock()) self->ended(which, caller);
        });
    } catch (const Error& error) {
        take_back(*run, before, caller);
        const bool by_caller = error.code() == Code::bad_json || error.code() == Code::usage;
        throw Problem(by_caller ? 400 : 500, error.what());
    } catch (...) {
        take_back(*run, before, caller);
        throw;
    }
    return run;
}
/// Adds a run, and returns the former run of its handler.
ServedRuns::RunPointer ServedRuns::add(const RunPointer& run, std::size_t bytes, std::size_t caller) {
    const auto& handler = run->identity.handler;
    std::lock_guard lock(mutex_);
    const auto known = by_handler_.find(handler);
    auto before = known == by_handler_.end() ? nullptr : known->second;
    if (before && before->status() == RunStatus::running)
        throw Problem(409, "Handler '" + handler + "' is already running");
    if (by_id_.contains(handler)) throw Problem(409, "\"" + handler + "\" is the run_id of another run");
    const auto of = running_of_.find(caller);
    if (running_ >= options_.limits.at_once ||
        (of != running_of_.end() && of->second >= options_.limits.at_once_of_caller))
        throw Problem(429, "this server has too many unfinished runs: try again later", {{"Retry-After", "1"}});
    check_room(bytes);
    count_given(*run, bytes);
    ++running_;
    ++running_of_[caller];
    by_handler_[handler] = by_id_[run->identity.id] = run;
    return before;
}
/// Removes a run that could not begin, and restores the former one.
void ServedRuns::take_back(const ServedRun& run, const RunPointer& before, std::size_t caller) {
    std::lock_guard lock(mutex_);
    by_id_.erase(run.identity.id);
    if (before) by_handler_[run.identity.handler] = before;
    else by_handler_.erase(run.identity.handler);
    count_end(run, caller);
}
void ServedRuns::check_room(std::size_t bytes) const {
    if (given_ + *logs_ + bytes * in_memory > options_.limits.open_bytes)
        throw Problem(503,
                      "the unfinished runs hold as much memory as this server allows: try again later, or with a "
                      "shorter input",
                      {{"Retry-After", "1"}});
}
void ServedRuns::count_given(const ServedRun& run, std::size_t bytes) {
    given_of_[run.identity.id] += bytes * in_memory;
    given_ += bytes * in_memory;
}
void ServedRuns::make_room(const ServedRun& run, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    if (bytes > short_answer) check_room(bytes);
    if (given_of_.contains(run.identity.id)) count_given(run, bytes);
}
std::size_t ServedRuns::open_bytes() const {
    std::lock_guard lock(mutex_);
    return given_ + *logs_;
}
void ServedRuns::count_end(const ServedRun& run, std::size_t caller) {
    if (const auto given = given_of_.find(run.identity.id); given != given_of_.end()) {
        given_ -= given->second;
        given_of_.erase(given);
    }
    if (const auto of = running_of_.find(caller); of != running_of_.end() && --of->second == 0) running_of_.erase(of);
    --running_;
}
void ServedRuns::ended(ServedRun& run, std::size_t caller) {
    const auto bytes = run.bytes();
    std::unique_lock lock(mutex_);
    if (let_go_) return;
    count_end(run, caller);
    if (!by_id_.contains(run.identity.id)) return;  // purged
    if (run.status() == RunStatus::running) return take_up_later(run.identity.id, lock);
    ended_.push_back({run.identity.id, bytes});
    ended_bytes_ += bytes;
    while (ended_.size() > 1 && (ended_.size() > options_.limits.kept || ended_bytes_ > options_.limits.kept_bytes))
        forget(ended_.front().id);
}
/// Removes a run from memory; the caller holds the lock.
void ServedRuns::forget(std::string id) {
    const auto ended = std::ranges::find(ended_, id, &EndedRun::id);
    if (ended != ended_.end()) {
        ended_bytes_ -= ended->bytes;
        ended_.erase(ended);
    }
    const auto at = by_id_.find(id);
    if (at == by_id_.end()) return;
    const auto handler = by_handler_.find(at->second->identity.handler);
    if (handler != by_handler_.end() && handler->second == at->second) by_handler_.erase(handler);
    by_id_.erase(at);
}
awaitable<ServedRuns::RunPointer> ServedRuns::find_key(std::string name, std::string key) {
    const auto& served = workflow(name);
    if (!options_.store || !served.stores_runs)
        throw Problem(400, "\"key\" needs a stored run, and this server does not store runs of " + served.name +
                               ": start it with a store, or leave out \"key\"");
    const auto id = core::stored_id(*served.definition, {.key = std::move(key)});
    if (auto known = find_by_id(id)) co_return known;
    auto asking = store_reply<std::vector<RunRow>>(
        [&](auto then) { options_.store->list({.ids = {id}}, std::move(then)); });
    const auto rows = co_await std::move(asking);
    if (auto known = find_by_id(id); known || rows.empty()) co_return known;
    const auto& row = rows.front();
    if (!is_of_a_server(row)) throw Problem(409, "run " + id + " has this key, and another command has started it");
    if (row.status == RunStatus::running)
        throw Problem(409, "run " + id + " has this key, and another process executes it");
    auto restoring = restore(row);
    co_await std::move(restoring);
    co_return find_by_id(id);
}
ServedRuns::RunPointer ServedRuns::find_by_id(const std::string& id) const {
    std::lock_guard lock(mutex_);
    const auto at = by_id_.find(id);
    return at == by_id_.end() ? nullptr : at->second;
}
bool ServedRuns::executes(const std::string& id) const {
    const auto run = find_by_id(id);
    return run && run->status() == RunStatus::running;
}
ServedRuns::RunPointer ServedRuns::find(const std::string& handler) const {
    std::lock_guard lock(mutex_);
    if (const auto at = by_handler_.find(handler); at != by_handler_.end()) return at->second;
    if (const auto at = by_id_.find(handler); at != by_id_.end()) return at->second;
    unknown_run(handler);
}
std::vector<ServedRuns::RunPointer> ServedRuns::list(const ServedRunFilter& listing) const {
    std::vector<RunPointer> found;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [_, run] : by_id_) found.push_back(run);
    }
    std::erase_if(found, [&](const RunPointer& run) {
        const bool fits = storage::takes(listing.states, row_of(run->status()).http_word) ||
                          (storage::takes(listing.states, "waiting") && !run->open_questions().empty());
        return !fits || !storage::takes(listing.workflows, run->identity.workflow);
    });
    std::ranges::sort(found, [](const RunPointer& a, const RunPointer& b) {
        return std::pair(a->started_at(), a->identity.id) > std::pair(b->started_at(), b->identity.id);
    });
    if (found.size() > listing.most) found.resize(listing.most);
    return found;
}
/// Throws if the store did not get the run's end: the run has left this process, but has not ended.
static void throw_if_lost(const ServedRun& run) {
    const auto outcome = run.outcome();
    if (run.status() != RunStatus::cancelled && outcome.code == Code::journal) throw Problem(503, outcome.error);
}
awaitable<void> ServedRuns::cancel(std::string handler) {
    const auto run = find(handler);
    if (run->status() != RunStatus::running)
        throw Problem(404, "run \"" + excerpt(handler, 60) + "\" has ended already");
    run->cancel();
    co_await run->until_ended();
    throw_if_lost(*run);
    if (run->status() != RunStatus::cancelled)
        throw Problem(404, "run \"" + excerpt(handler, 60) + "\" had ended before it could be cancelled");
}
awaitable<void> ServedRuns::purge(std::string handler) {
    const auto run = find(handler);
    if (run->status() == RunStatus::running) {
        run->cancel();
        co_await run->until_ended();
        throw_if_lost(*run);
    }
    std::uint64_t pruned = 0;
    if (options_.store) {
        Filter filter;
        filter.ids = {run->identity.id};
        auto asking = store_reply<std::uint64_t>(
            [&](auto then) { options_.store->prune(std::move(filter), std::move(then)); });
        pruned = co_await std::move(asking);
    }
    {
        std::lock_guard lock(mutex_);
        forget(run->identity.id);
    }
    if (options_.store && pruned == 0 && run->log()->is_stored())
        throw Problem(409, "run \"" + excerpt(handler, 60) + "\" is removed here, but its store still has it");
}
std::size_t ServedRuns::running() const {
    std::lock_guard lock(mutex_);
    return running_;
}
awaitable<void> ServedRuns::leave() {
    const auto self = shared_from_this();
    std::vector<RunPointer> all;
    {
        std::lock_guard lock(mutex_);
        let_go_ = true;
        for (const auto& [_, run] : by_id_)
            if (run->status() == RunStatus::running) all.push_back(run);
    }
    for (const auto& run : all) run->begin_to_leave();
    for (const auto& run : all) {
        auto leaving = run->until_left();
        co_await std::move(leaving);
    }
}
}
