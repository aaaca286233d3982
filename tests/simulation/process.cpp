#include "tests/simulation/process.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/spawn.hpp"

namespace simulation {
Process::Process(World& world, Databases& databases, Ledger& ledger, const Graphs& graphs, const Setup& setup)
    : machine_(world), clock_(machine_), site_(world, &ledger), parts_(new core::EngineParts) {
    clock_.difference = setup.date_difference;
    auto& p = *parts_;
    EngineOptions options;
    std::vector<Store*> stores;
    for (const auto& each : databases.all())
        stores.push_back(links_.emplace_back(new Link(machine_, each->store, each->disk)).get());
    store_ = std::make_unique<ShardedStore>(std::move(stores), databases.sizes());
    options.store = store_.get();
    options.clock = &clock_;
    options.park = true;
    options.lease = std::chrono::floor<std::chrono::milliseconds>(setup.lease);
    options.snapshot_every = setup.snapshot_every;
    p.configure(options);
    for (std::size_t i = 0; i < p.hearts.size(); ++i) {  // else their owners are random
        const auto owner = storage::owner_in_shard(setup.name, i);
        p.hearts[i]->shard->lease = std::make_shared<core::Lease>(owner, clock_, *options.lease);
        p.hearts[i]->state->claims = true;
    }
    const Runtime runtime{machine_.executor(), &clock_};
    p.add_loop(runtime, nullptr, std::hash<std::string>()(setup.name));
    p.begin_hearts(runtime, [] {});
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
}
Process::~Process() {
    for (auto& link : links_) link->die();
    site_.ledger = nullptr;
    parts_->admission->close();
    parts_->loops.clear();
    machine_.stop();  // before the parts, which the coroutines of its heart use
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
}
