#include "tests/simulation/process.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/record.hpp"
#include "engine/spawn.hpp"
#include <algorithm>

namespace simulation {
using namespace std::chrono_literals;
void begin_engine(core::EngineParts& p, const std::string& name, const EngineOptions& options, const Runtime& runtime) {
    const auto seed = std::hash<std::string>()(name);
    p.configure(options);
    p.next_heart = unsigned(seed);
    for (std::size_t i = 0; i < p.hearts.size(); ++i)
        p.hearts[i]->shard->lease = std::make_shared<core::Lease>(storage::owner_in_shard(name, i), *options.clock,
                                                                  options.lease.value_or(0ms));
    p.add_loop(runtime, nullptr, seed);
    p.begin_hearts(runtime, [] {});
}
Process::Process(World& world, Databases& databases, Ledger& ledger, ToldEvents& told, const Graphs& graphs,
                 const Setup& setup)
    : machine_(world), clock_(machine_), site_(world, &ledger), name_(setup.name), parts_(new core::EngineParts) {
    clock_.difference = setup.date_difference;
    auto& p = *parts_;
    EngineOptions options;
    std::vector<Store*> stores;
    for (const auto& each : databases.all())
        stores.push_back(links_.emplace_back(new Link(machine_, *each->store, each->disk, setup.lease)).get());
    options.store = stores.front();
    if (databases.is_shared()) {
        store_ = std::make_unique<ShardedStore>(std::move(stores), databases.sizes());
        options.store = store_.get();
    }
    const Runtime runtime{machine_.executor(), &clock_};
    const auto find_run = [this](const std::string& run) { return find_epoch(run); };
    logs_ = std::make_unique<ServedLogs>(told, *options.store, runtime, setup.name, find_run);
    options.clock = &clock_;
    options.park = true;
    options.observer = logs_.get();
    if (databases.is_shared()) options.lease = std::chrono::floor<std::chrono::milliseconds>(setup.lease);
    options.snapshot_every = setup.snapshot_every;
    begin_engine(p, setup.name, options, runtime);
    for (const auto& heart : p.hearts) heart->state->claims = true;
    std::vector<std::shared_ptr<const core::Definition>> definitions;
    for (const auto& graph : graphs) definitions.push_back(site_.definition(*graph));
    if (setup.schedules) {
        definitions.push_back(site_.definition(*setup.schedules->target()));
        schedules_ = setup.schedules->offered_at(site_);
        definitions.push_back(schedules_->definition);
    }
    spawn(runtime, p.claim_ready(std::move(definitions), claimed_), [](const std::exception_ptr&) {});
    site_.owner = [this, &databases](const std::string& run) {
        return parts_->hearts.at(databases.number_of(run.substr(0, run.find('/'))))->lease().holder().owner;
    };
    site_.logs = logs_.get();
}
std::uint64_t Process::find_epoch(const std::string& run) const {
    const auto known = parts_->loops.front()->find(run);
    return known ? (*known)->extras->track->log->epoch : 0;
}
Process::~Process() {
    for (auto& link : links_) link->die();
    site_.ledger = nullptr;
    parts_->admission->close();
    parts_->loops.clear();
    machine_.stop();  // before the parts, which the coroutines of its heart use
}
std::optional<std::uint64_t> Process::waits_for_sure_lease(const std::string& run) const {
    const auto known = parts_->loops.front()->find(run);
    if (!known) return {};
    const auto& log = *(*known)->extras->track->log;
    const bool is_at_work = !durability::is_over(log.state) && !durability::is_ended(log.state);
    if (!is_at_work || log.lease().left() * 2 < log.lease().length()) return {};
    bool waits = false;
    std::uint64_t done = 0;
    for (const auto* member : log.family) {
        auto& track = *member->extras->track;
        waits |= track.parked && !track.waits() && !member->extras->held;
        done += track.done;
    }
    if (waits) return done;
    return {};
}
std::uint64_t Process::state_of(const std::string& run) const {
    const auto known = parts_->loops.front()->find(run);
    if (!known) return 0;
    const auto& state = (*known)->extras->track->log->state;
    auto number = 1 + std::uint64_t(state.phase);
    for (const auto part : {std::uint64_t(state.delivery), std::min<std::uint64_t>(state.batches, 2),
                            std::min<std::uint64_t>(state.under_way, 2), std::uint64_t(state.says_idle),
                            std::uint64_t(machine_.is_paused()), std::uint64_t(parts_->leaving)})
        number = number * 4 + part;
    return number;
}
void Process::start(const std::shared_ptr<const Graph>& graph, std::uint64_t value, const RunOptions& options,
                    std::function<void(const std::exception_ptr&)> stored) {
    bool is_new = true;
    const auto core = parts_->make_or_find(site_.definition(*graph), options, is_new);
    if (is_new) begin(core, value);
    asio::post(machine_.executor(), [core, stored = std::move(stored)] {
        if (auto* loop = core->loop.load()) loop->keeper().when_stored(*core, stored);
        else stored(std::make_exception_ptr(Error(Code::cancelled, "the run has left memory")));
    });
}
void Process::leave() {
    parts_->leaving = true;
    parts_->drain([this] { parts_->say_goodbye(); });
}
std::uint64_t state_of(const storage::RunRow& row, const std::vector<std::unique_ptr<Process>>& processes) {
    const auto is_owner = [&](const auto& process) { return process && process->owner_of(row.id) == row.owner; };
    const auto owner = std::ranges::find_if(processes, is_owner);
    auto state = owner == processes.end() ? std::uint64_t(row.owner.empty()) : 2 + (*owner)->state_of(row.id);
    for (const auto part :
         {std::uint64_t(row.status), std::min<std::uint64_t>(row.takeovers, 2), std::uint64_t(row.wake_at.has_value()),
          std::uint64_t(!row.waits_for.empty()), std::min<std::uint64_t>(row.epoch, 2)})
        state = state * 8 + part;
    return state;
}
}
