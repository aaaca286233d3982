#include "tests/simulation/process.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/spawn.hpp"

namespace simulation {
Process::Process(World& world, Store& store, const Disk& disk, Ledger& ledger, const Graphs& graphs, const Setup& setup)
    : machine_(world),
      clock_(machine_),
      link_(machine_, store, disk),
      site_(world, &ledger),
      parts_(new core::EngineParts) {
    clock_.difference = setup.date_difference;
    auto& p = *parts_;
    EngineOptions options;
    options.store = &link_;
    options.clock = &clock_;
    options.park = true;
    options.lease = std::chrono::floor<std::chrono::milliseconds>(setup.lease);
    options.snapshot_every = setup.snapshot_every;
    p.configure(options);
    p.lease = std::make_shared<core::Lease>(setup.name, clock_, *options.lease);  // else its owner is random
    const Runtime runtime{machine_.executor(), &clock_};
    p.add_loop(runtime, nullptr, std::hash<std::string>()(setup.name));
    p.heart->claims = true;
    p.begin_heart(runtime, [] {});
    std::vector<std::shared_ptr<const core::Definition>> definitions;
    for (const auto& graph : graphs) definitions.push_back(site_.definition(*graph));
    if (setup.schedules) {
        definitions.push_back(site_.definition(*setup.schedules->target()));
        schedules_ = setup.schedules->offered_at(site_);
        definitions.push_back(schedules_->definition);
    }
    spawn(runtime, p.claim_ready(std::move(definitions), claimed_), [](const std::exception_ptr&) {});
    site_.lease = p.lease;
}
Process::~Process() {
    link_.die();
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
