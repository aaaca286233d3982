#include "tests/simulation/world.hpp"
#include "engine/core/loop/random.hpp"
#include <boost/asio/post.hpp>

namespace simulation {
namespace {
constexpr std::int64_t first_day = 1'767'225'600'000'000;  // 2026-01-01, in microseconds since 1970

class MachineAlarm final : public Alarm {
public:
    MachineAlarm(Machine& machine, std::function<void()> ring) : machine_(machine) { state_->ring = std::move(ring); }
    ~MachineAlarm() override { clear(); }
    void set(Clock::Time at) override {
        const auto turn = ++state_->turn;
        machine_.world().at(std::max(at, machine_.world().now()), [state = state_, turn, &machine = machine_] {
            if (state->turn != turn) return;  // also after the end of the machine
            asio::post(machine.executor(), [state, turn] {
                if (state->turn == turn) state->ring();
            });
        });
    }
    void clear() override { ++state_->turn; }

private:
    struct State {
        std::function<void()> ring;
        std::uint64_t turn = 0;  // incremented by set() and clear(), which end earlier settings
    };
    Machine& machine_;
    const std::shared_ptr<State> state_ = std::make_shared<State>();
};
}
std::int64_t World::microseconds() const {
    return first_day + std::chrono::floor<std::chrono::microseconds>(now_.time_since_epoch()).count();
}
void World::at(Clock::Time time, std::function<void()> act) {
    timed_.emplace(std::pair(std::max(time, now_), order_++), std::move(act));
}
void World::mark(std::uint64_t what) { trace_ = core::mix(trace_ ^ core::mix(what)); }
// Time passes while machines wait, and now and then while they work.
bool World::step(Clock::Time end) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < machines_.size(); ++i)
        if (!machines_[i]->work_.empty() && !machines_[i]->is_paused()) ready.push_back(i);
    const bool is_due = !timed_.empty() && timed_.begin()->first.first <= now_;
    if (ready.empty() && !is_due) {
        auto next = timed_.empty() ? Clock::Time::max() : timed_.begin()->first.first;
        for (const auto* machine : machines_)
            if (machine->is_paused() && !machine->work_.empty()) next = std::min(next, machine->resumes_at_);
        now_ = std::min(next, end);
        return next <= end && next != Clock::Time::max();
    }
    ++events_;
    if (is_due && (ready.empty() || below(2) == 0)) {
        auto act = timed_.extract(timed_.begin());
        mark(act.key().second);
        act.mapped()();
        return true;
    }
    const auto chosen = ready[below(ready.size())];
    mark(~chosen);
    auto work = std::move(machines_[chosen]->work_.front());
    machines_[chosen]->work_.pop_front();
    work->run();
    if (!works_at_once_ && below(16) == 0) now_ += up_to(std::chrono::milliseconds(10));
    return true;
}
void World::run_until(Clock::Time end) {
    while (now_ < end && step(end)) {}
    now_ = std::max(now_, end);
}
void Machine::stop() {
    shutdown();
    work_.clear();
}
Machine::~Machine() {
    std::erase(world_.machines_, this);
    stop();
    destroy();
}
std::unique_ptr<Alarm> MachineClock::make_alarm(const asio::any_io_executor&, std::function<void()> ring,
                                                std::function<void()>) {
    return std::make_unique<MachineAlarm>(machine_, std::move(ring));
}
}
