#include "tests/simulation/site.hpp"
#include "engine/core/loop/loop.hpp"

namespace simulation {
using namespace storage;
void Ledger::fault(std::string sentence) {
    if (faults.size() < 20) faults.push_back(std::move(sentence));
}
RunRow Ledger::row(const std::string& run) {
    RunRow found;
    store_.list({.ids = {run}}, [&](const std::exception_ptr&, std::vector<RunRow> rows) {
        if (!rows.empty()) found = std::move(rows.front());
    });
    return found;
}
// A child's id begins with that of its root.
void Ledger::check_owner(const std::string& owner, const std::string& run, const std::string& what) {
    const auto stored = row(run.substr(0, run.find('/')));
    if (stored.id.empty()) return fault(what + " although the store does not have the run " + run);
    if (has_ended(stored.status)) return;  // the end of the run is on its way to the process
    if (stored.status != RunStatus::running || stored.owner != owner)
        fault(what + " of the process " + owner + " although " + (stored.owner.empty() ? "nobody" : stored.owner) +
              " owns the run " + run);
}
void Ledger::begins(const std::string& owner, const std::string& run, const std::string& key,
                    const std::vector<Cargo>& inputs) {
    ++counts.steps;
    auto& owners = owners_[run.substr(0, run.find('/'))];
    if (owners.insert(owner).second && owners.size() > 1) ++counts.takeovers;
    check_owner(owner, run, "the step " + key + " begins");
    check_time(run);
    if (finished_.contains(key)) fault("the step " + key + " begins although it has finished before");
    for (const auto& input : inputs)
        if (!input.from.empty()) finished_.insert(input.from);
    check_limits();
}
void Ledger::check_time(const std::string& run) {
    const auto known = runs.find(run);
    if (known == runs.end() || known->second.is_cancelled) return;
    if (world_.microseconds() < known->second.not_before - 4'000'000)  // a difference of two seconds counts as none
        fault("the run " + run + " begins before its time");
}
// A run that works is running in the store. Its key is that of its start.
void Ledger::check_limits() {
    std::uint32_t running = 0;
    std::string names;
    std::map<std::string, std::uint32_t> by_tenant;
    store_.list({.statuses = {RunStatus::running}}, [&](const std::exception_ptr&, const std::vector<RunRow>& rows) {
        for (const auto& each : rows)
            if (each.queue == limits.queue &&
                storage::engine_of(each.owner) != "end_unowned") {  // which claims beyond all limits
                names += ' ' + each.id + " of epoch " + std::to_string(each.epoch) + " at " + each.owner;
                ++running;
                const auto known = runs.find(each.id);  // a scheduled run has no tenant
                ++by_tenant[known == runs.end() ? "" : known->second.tenant];
            }
    });
    if (running == 0) return;
    ++counts.limited;
    if (limits.running && running > *limits.running)
        fault("the queue " + limits.queue + " has " + std::to_string(running) +
              " runs at work, more than its limit:" + names);
    for (const auto& [tenant, count] : by_tenant)
        if (limits.running_per_key && count > *limits.running_per_key)
            fault("the queue " + limits.queue + " has " + std::to_string(count) + " runs of the key " + tenant +
                  " at work, more than its limit:" + names);
}
void Ledger::check_mail() {
    store_.list({.statuses = {RunStatus::waiting}}, [&](const std::exception_ptr&, const std::vector<RunRow>& rows) {
        for (const auto& each : rows)
            if (!waits_to_begin(each))
                store_.load_mail(each.id, [&](const std::exception_ptr&, const std::vector<Mail>& mail) {
                    if (!mail.empty()) fault("the run " + each.id + " is parked with unread mail");
                });
    });
}
bool Ledger::is_busy(const std::string& run) {
    const auto stored = row(run);
    if (stored.id.empty() || has_ended(stored.status)) return false;
    bool has_mail = false;
    store_.load_mail(run, [&](const std::exception_ptr&, const std::vector<Mail>& mail) { has_mail = !mail.empty(); });
    return has_mail || stored.status != RunStatus::waiting || stored.wake_at;
}
void Ledger::check_signals() {
    for (const auto& [run, mail] : accepted) {
        const auto known = runs.find(run);
        if (known == runs.end() || known->second.is_cancelled || !known->second.graph->has_signal) continue;
        if (known->second.signals.contains(mail) && !has_ended(row(run).status) &&
            !signals_.contains(run + ' ' + mail.substr(1)))
            fault("the run " + run + " has lost the signal " + mail);
    }
}
void Ledger::effect_runs(const std::string& owner, const std::string& run, const Effect& effect) {
    ++counts.effects;
    const auto what = "the effect " + effect.name + " of " + effect.key;
    check_owner(owner, run, what + " runs");
    if (recorded_.contains({effect.key, effect.name, effect.attempt})) fault(what + " runs again after its record");
    if (effect.at_most_once && ++begun_[effect.key + effect.name] > 1) fault(what + " runs a second time");
}
void Ledger::requests(const std::string& owner, const std::string& run, const std::string& key) {
    check_owner(owner, run, "the step " + key + " sends a request");
}
void Ledger::sleeps(const std::string& key, const std::string& name, Duration time) {
    wakes_.emplace(key + name, world_.now() + time);
}
void Ledger::wakes(const std::string& key, const std::string& name) {
    if (world_.now() + std::chrono::seconds(4) < wakes_[key + name])  // a difference of two seconds counts as none
        fault("the sleep " + name + " of " + key + " ends too early");
}
void Ledger::takes_signal(const std::string& run, std::uint64_t number, const std::string& key) {
    const auto [known, is_new] = signals_.emplace(run + ' ' + std::to_string(number), key);
    if (!is_new && known->second != key) fault("the run " + run + " takes a signal twice: " + std::to_string(number));
}
const std::shared_ptr<const core::Definition>& Site::definition(const Graph& graph) {
    auto& known = definitions[&graph];
    if (!known) known = define(graph, *this);
    return known;
}
void begin(const core::CoreRef& run, std::uint64_t value) {
    run->loop.load()->begin_from_any_thread(run, [run, value] {
        StartCargo start;
        start.cargo.value = value;
        run->arrive(run->cells.put(0, std::move(start)));
    });
}
}
