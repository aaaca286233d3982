// One thread, one seed, and all that happens in a simulated world: its time, its machines, and the order of their work.
// Equal seeds give equal histories.
//
//     World world(seed);
//     Machine machine(world);                              // an executor of its own
//     asio::post(machine.executor(), work);
//     world.run_until(world.now() + 1h);
#pragma once
#include "engine/clock.hpp"
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace simulation {
using namespace weft;
class Machine;

class World {
public:
    /// `works_at_once`: work takes no time, so that a machine delays no other one.
    explicit World(std::uint64_t seed, bool works_at_once = false) : random_(seed), works_at_once_(works_at_once) {}
    World(const World&) = delete;
    std::uint64_t below(std::uint64_t n) { return n < 2 ? 0 : random_() % n; }
    bool happens(unsigned in_thousand) { return below(1000) < in_thousand; }
    Duration up_to(Duration most) { return Duration(std::int64_t(below(std::uint64_t(most.count()) + 1))); }
    template <class T> T& one_of(std::vector<T>& all) { return all[below(all.size())]; }
    Clock::Time now() const { return now_; }
    std::int64_t microseconds() const;  // since 1970
    void at(Clock::Time, std::function<void()>);
    void after(Duration d, std::function<void()> act) { at(now_ + d, std::move(act)); }
    void run_until(Clock::Time);
    std::uint64_t events() const { return events_; }
    /// A sum over the order of all events so far.
    std::uint64_t trace() const { return trace_; }

private:
    friend class Machine;
    bool step(Clock::Time end);
    void mark(std::uint64_t what);  // adds it to the trace
    std::mt19937_64 random_;
    Clock::Time now_{std::chrono::hours(24)};
    std::map<std::pair<Clock::Time, std::uint64_t>, std::function<void()>> timed_;
    std::vector<Machine*> machines_;
    std::uint64_t order_ = 0, events_ = 0, trace_ = 0;
    const bool works_at_once_;
};

/// The thread of a process: executes its work first in, first out. The destructor calls stop().
class Machine final : public asio::execution_context {
    struct Work {
        virtual ~Work() = default;
        virtual void run() = 0;
    };
    template <class F> struct WorkOf final : Work {
        explicit WorkOf(F f) : function(std::move(f)) {}
        void run() override { function(); }
        F function;
    };

public:
    explicit Machine(World& world) : world_(world) { world.machines_.push_back(this); }
    ~Machine();
    class Executor {
    public:
        explicit Executor(Machine& machine) : machine_(&machine) {}
        asio::execution_context& query(asio::execution::context_t) const noexcept { return *machine_; }
        static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
            return asio::execution::blocking.never;
        }
        template <class F> void execute(F work) const {
            machine_->work_.push_back(std::make_unique<WorkOf<F>>(std::move(work)));
        }
        friend bool operator==(const Executor&, const Executor&) noexcept = default;

    private:
        Machine* machine_;
    };
    Executor executor() { return Executor(*this); }
    void stop();  // drops its work and its coroutines
    World& world() const { return world_; }
    void pause_until(Clock::Time at) { resumes_at_ = std::max(resumes_at_, at); }  // as SIGSTOP does
    bool is_paused() const { return resumes_at_ > world_.now(); }

private:
    friend class World;
    World& world_;
    std::deque<std::unique_ptr<Work>> work_;
    Clock::Time resumes_at_{};
};

/// The clock of a machine. Its date may differ from the world's, and jump.
class MachineClock final : public Clock {
public:
    explicit MachineClock(Machine& machine) : machine_(machine) {}
    Time now() const override { return machine_.world().now(); }
    WallTime wall() const override {
        return WallTime(std::chrono::microseconds(machine_.world().microseconds()) + difference);
    }
    Duration since_boot() const override { return now().time_since_epoch(); }
    Duration between_looks() const override { return std::chrono::hours(1); }
    std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor&, std::function<void()> ring,
                                      std::function<void()> lost) override;
    std::chrono::microseconds difference{0};

private:
    Machine& machine_;
};
}
