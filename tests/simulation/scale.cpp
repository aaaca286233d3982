// Measures, in virtual time, how many runs a second a store of several databases completes, with one worker for each
// database. Each worker claims from all databases, as worker::Worker does. Work is always ready: a run that ends is
// followed by a new one in its database. Only databases and the ways to them take time.
//
// A database is as busy as a PostgreSQL with one processor. All calls that wait share a sync of the disk, as commits of
// several connections do. Before it they take the processor one after the other, 0.1 ms each, and a claimed run takes
// it like a call. So a call of a small group costs more than one of a large group, and an idle moment of a database is
// lost.
#include "tests/simulation/scale.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/durable.hpp"
#include "engine/error.hpp"
#include "engine/observer.hpp"
#include "engine/run_options.hpp"
#include "engine/spawn.hpp"
#include "engine/store/forwarding_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/store/sharded_store.hpp"
#include "tests/simulation/process.hpp"
#include <boost/asio/post.hpp>
#include <iomanip>
#include <iostream>

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr Duration sync_time = 1ms, call_time = 100us, way = 250us;
constexpr std::size_t slots = 200, steps_of_run = 4, ready_in_each = 2 * slots;
constexpr Duration warm_up = 500ms;
constexpr double least_share = 0.9;  // of the rate of one database, for each database of several

class BusyDatabase final : public ForwardingStore {
public:
    explicit BusyDatabase(World& world)
        : ForwardingStore(memory_), world_(world), memory_([&world] { return world.microseconds(); }) {
        memory_.share();
    }
    void claim(ClaimRequest request, Then<std::vector<RunRow>> then) override {
        const auto counted = [this, then = std::move(then)](std::exception_ptr error, std::vector<RunRow> rows) {
            further_work_ += rows.size();
            then(std::move(error), std::move(rows));
        };
        ForwardingStore::claim(std::move(request), counted);
    }
    /// Deletes the ended runs without a cost, and returns their number.
    std::uint64_t take_ended() {
        Filter all;
        all.most = ~std::size_t{0};
        std::uint64_t ended = 0;
        memory_.prune(all, [&](const std::exception_ptr&, std::uint64_t count) { ended = count; });
        return ended;
    }

private:
    void pass(StoreCall call) override {
        waiting_.push_back(std::move(call));
        if (!is_busy_) serve();
    }
    void serve() {
        is_busy_ = true;
        auto group = std::exchange(waiting_, {});
        const auto work = std::int64_t(group.size() + std::exchange(further_work_, 0));
        world_.after(sync_time + work * call_time, [this, group = std::move(group)] {
            for (const auto& call : group) call.execute(inner, [](const StoreCall::GiveAnswer& answer) { answer(); });
            is_busy_ = false;
            if (!waiting_.empty()) serve();
        });
    }
    World& world_;
    MemoryStore memory_;
    std::vector<StoreCall> waiting_;
    std::size_t further_work_ = 0;
    bool is_busy_ = false;
};
using BusyDatabases = std::vector<std::unique_ptr<BusyDatabase>>;

/// The connection of a process to a database.
class Line final : public ForwardingStore {
public:
    Line(Machine& machine, Store& store) : ForwardingStore(store), machine_(machine) {}

private:
    void pass(StoreCall call) override {
        machine_.world().after(way, [this, call = std::move(call)] {
            call.execute(inner, [this](StoreCall::GiveAnswer answer) {
                machine_.world().after(way,
                                       [this, answer = std::move(answer)] { asio::post(machine_.executor(), answer); });
            });
        });
    }
    Machine& machine_;
};
/// A process with an engine whose own work takes no time.
struct FastProcess {
    FastProcess(World& world, const BusyDatabases& databases, const std::string& name)
        : machine(world), clock(machine), site(world, nullptr), parts(new core::EngineParts) {
        std::vector<Store*> stores;
        for (const auto& each : databases) stores.push_back(lines.emplace_back(new Line(machine, *each)).get());
        store = std::make_unique<ShardedStore>(std::move(stores));
        EngineOptions options;
        options.store = store.get();
        options.clock = &clock;
        options.park = true;
        options.lease = 10s;
        begin_engine(*parts, name, options, runtime());
    }
    ~FastProcess() {
        parts->admission->close();
        parts->loops.clear();
        machine.stop();  // before the parts, which the coroutines use
    }
    Runtime runtime() { return {machine.executor(), &clock}; }
    Machine machine;
    MachineClock clock;
    std::vector<std::unique_ptr<Line>> lines;
    std::unique_ptr<ShardedStore> store;
    Site site;
    std::unique_ptr<core::EngineParts> parts;
};
/// Claims and executes runs as worker::Worker does.
class SlotWorker final : public Observer {
public:
    using OnEnd = std::function<void(const std::string& run)>;
    SlotWorker(World& world, const BusyDatabases& databases, const std::string& name, const Graph& graph, OnEnd on_end)
        : process_(world, databases, name), definition_(process_.site.definition(graph)), on_end_(std::move(on_end)) {
        spawn(process_.runtime(), work(), [](const std::exception_ptr&) {});
    }
    void run_ended(const RunInfo& run, RunStatus) noexcept override {
        --used_;
        changed_.ring();
        on_end_(std::string(run.id));
    }

private:
    awaitable<void> work() {
        const auto alarm = process_.clock.make_alarm(process_.machine.executor(), [this] { changed_.ring(); }, {});
        const std::function<bool(const RunRow&)> take = [this](const RunRow& row) {
            RunOptions options;
            options.observer = this;
            options.claimed = {row.epoch, row.owner};
            process_.parts->resume(definition_, row.id, options);
            ++used_;
            return true;
        };
        for (;;) {
            ClaimRequest request;
            request.workflows = {std::string(definition_->name)};
            request.hashes = {definition_->durable->hash};
            request.most = slots - used_;
            std::size_t taken = 0;
            auto claiming = process_.parts->claim(std::move(request), take, taken);
            try {
                co_await std::move(claiming);
            } catch (const Error&) {}  // its lease does not begin before the first heartbeat's answer
            alarm->set(process_.clock.now() + 250ms);
            auto rung = changed_.wait();
            co_await std::move(rung);
        }
    }
    Signal changed_;
    std::size_t used_ = 0;
    FastProcess process_;
    const std::shared_ptr<const core::Definition> definition_;
    const OnEnd on_end_;
};
/// Puts runs into a database.
class RunStarter {
public:
    RunStarter(World& world, const BusyDatabases& databases, const Graph& graph)
        : process_(world, databases, "starter"), definition_(process_.site.definition(graph)) {}
    void start_in(std::size_t database) {
        RunOptions options;
        options.detached = true;
        do {
            options.key = std::to_string(next_++);
        } while (process_.store->shard_of(core::stored_id(*definition_, options)) != database);
        bool is_new = true;
        begin(process_.parts->make_or_find(definition_, options, is_new), next_);
    }
    std::size_t database_of(const std::string& run) const { return process_.store->shard_of(run); }

private:
    FastProcess process_;
    const std::shared_ptr<const core::Definition> definition_;
    std::uint64_t next_ = 0;
};
Graph chain() {
    Graph graph;
    graph.name = "chain";
    graph.events.push_back({"Start", Place::start});
    for (std::size_t i = 1; i <= steps_of_run; ++i) {
        graph.events.push_back({"E" + std::to_string(i), i < steps_of_run ? Place::plain : Place::stop});
        StepSpec step;
        step.name = step.first_name = "s" + std::to_string(i);
        step.accepts = {TypeIndex(i - 1)};
        step.emits = {TypeIndex(i)};
        graph.steps.push_back(std::move(step));
    }
    return graph;
}
double runs_a_second(std::size_t size) {
    World world(size, true);
    const auto graph = chain();
    BusyDatabases databases;
    for (std::size_t i = 0; i < size; ++i) databases.push_back(std::make_unique<BusyDatabase>(world));
    RunStarter starter(world, databases, graph);
    std::vector<std::unique_ptr<SlotWorker>> workers;
    const auto on_end = [&](const std::string& run) {
        world.after(0ns, [&, at = starter.database_of(run)] { starter.start_in(at); });
    };
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < ready_in_each; ++k) starter.start_in(i);
    for (std::size_t i = 0; i < size; ++i)
        workers.push_back(std::make_unique<SlotWorker>(world, databases, "w" + std::to_string(i), graph, on_end));
    const auto ended_in = [&](Duration time) {
        std::uint64_t ended = 0;
        for (const auto end = world.now() + time; world.now() < end;) {
            world.run_until(std::min(end, world.now() + 50ms));
            for (const auto& each : databases) ended += each->take_ended();
        }
        return ended;
    };
    ended_in(warm_up);
    const auto window = std::max<Duration>(1s, 8s / std::int64_t(size));  // the fewer runs end at once, the longer
    return double(ended_in(window)) / std::chrono::duration<double>(window).count();
}
}
bool measure_scale(const std::vector<std::size_t>& sizes) {
    double of_one = 0;
    bool is_linear = true;
    for (const auto size : sizes) {
        const auto rate = runs_a_second(size);
        if (size == 1) of_one = rate;
        const auto share = rate / (of_one * double(size));
        std::cout << std::setw(2) << size << " databases and workers: " << std::fixed << std::setprecision(0) << rate
                  << " runs a second, " << share * 100 << " % of " << size << " times one" << std::endl;
        is_linear = is_linear && share >= least_share;
    }
    return is_linear;
}
}
