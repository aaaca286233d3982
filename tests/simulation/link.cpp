// A call has three times: it is sent, it arrives and takes effect, and its answer arrives. A break in between loses the
// rest of the call.
#include "tests/simulation/link.hpp"
#include "engine/error.hpp"
#include <boost/asio/post.hpp>
#include <optional>

namespace simulation {
struct Link::State {
    struct Pending {
        std::function<void()> fail;  // gives an error as the answer
        bool has_arrived = false;
    };
    State(Machine& m, Store& s, const Disk& full, Duration l)
        : machine(&m), world(m.world()), store(s), disk(full), growths(full.growths), lease(l) {}
    Machine* machine;  // null after the death
    World& world;
    Store& store;
    const Disk& disk;
    std::optional<unsigned> growths;  // that the process knows; empty: each one
    const Duration lease;
    CallKind loses = CallKind::other;
    std::optional<Clock::Time> breaks_until;  // after the next answer of a heartbeat, which is late
    Clock::Time cut_until{}, lossy_until{}, last_arrival{}, last_answer{}, next_stall{};
    std::map<std::uint64_t, Pending> pending;
    std::uint64_t calls = 0, breaks = 0;

    /// A stall is rare also for a process with many calls, which could otherwise not keep a short lease.
    Duration delay() {
        if (world.now() < next_stall || !world.happens(5)) return world.up_to(std::chrono::milliseconds(3));
        next_stall = world.now() + std::chrono::seconds(10);
        return world.up_to(std::chrono::seconds(4));
    }
    bool loses_one(CallKind kind) {
        const bool is_common = kind == CallKind::heartbeat || kind == CallKind::creation;
        if (lossy_until <= world.now() || (is_common ? CallKind::other : kind) != loses) return false;
        return world.below(loses == CallKind::other ? 16 : 3) == 0;
    }
    /// The lease is in doubt when the answer comes, and is not over.
    std::optional<Duration> lateness(CallKind kind) {
        if (kind != CallKind::heartbeat || (!breaks_until && !world.happens(30))) return {};
        return lease / 3 + world.up_to(lease / 3);
    }
    /// Loses the last calls that have not arrived; those to a file are all made by the process itself.
    void lose_calls() {
        auto first = pending.begin();
        while (first != pending.end() && first->second.has_arrived) ++first;
        const auto left = std::distance(first, pending.end());
        if (store.is_shared()) std::advance(first, world.below(std::uint64_t(left) + 1));
        pending.erase(first, pending.end());
    }
    void cut(Clock::Time until) {
        cut_until = std::max(cut_until, until);
        ++breaks;
        std::vector<std::function<void()>> fails;
        for (auto& [number, call] : pending) fails.push_back(call.fail);
        lose_calls();
        for (auto& fail : fails) world.after(world.up_to(std::chrono::seconds(2)), fail);
    }
};
Link::Link(Machine& machine, Store& store, const Disk& disk, Duration lease)
    : ForwardingStore(store), state_(std::make_shared<State>(machine, store, disk, lease)) {}
Link::~Link() { die(); }
void Link::follow_growth() { state_->growths.reset(); }
void Link::die() {
    if (!std::exchange(state_->machine, nullptr)) return;
    state_->lose_calls();
}
void Link::cut_until(Clock::Time at) { state_->cut(at); }
void Link::cut_after_heartbeat(Clock::Time until) { state_->breaks_until = until; }
void Link::lose_until(Clock::Time at, CallKind kind) {
    state_->lossy_until = std::max(state_->lossy_until, at);
    state_->loses = kind;
}
void Link::create(storage::NewRun run, Then<storage::CreateReply> then) {
    kind_ = CallKind::creation;
    ForwardingStore::create(std::move(run), std::move(then));
}
void Link::create_all(std::vector<storage::NewRun> runs, Then<std::vector<storage::CreateReply>> then) {
    kind_ = CallKind::creation;
    ForwardingStore::create_all(std::move(runs), std::move(then));
}
void Link::append(storage::Batch batch, Then<storage::AppendReply> then) {
    const bool parks = batch.left && batch.left->status == RunStatus::waiting;
    if ((parks || batch.begins_again) && on_moving_) on_moving_(batch.run);
    if (parks) kind_ = CallKind::parking;
    ForwardingStore::append(std::move(batch), std::move(then));
}
void Link::load(std::string run, Then<storage::History> then, std::uint64_t from) {
    if (on_moving_) on_moving_(run);
    ForwardingStore::load(std::move(run), std::move(then), from);
}
void Link::claim(storage::ClaimRequest request, Then<std::vector<storage::RunRow>> then) {
    kind_ = CallKind::claim;
    ForwardingStore::claim(std::move(request), std::move(then));
}
void Link::heartbeat(storage::Heartbeat worker, Then<storage::HeartbeatReply> then) {
    kind_ = CallKind::heartbeat;
    ForwardingStore::heartbeat(std::move(worker), std::move(then));
}
void Link::pass(StoreCall call) {
    const auto kind = std::exchange(kind_, CallKind::other);
    auto& s = *state_;
    if (!s.machine) return;
    const auto answered = std::make_shared<bool>(false);
    const auto give = [of = std::weak_ptr(state_), answered](StoreCall::GiveAnswer answer) {
        const auto state = of.lock();  // the state has this answer among its pending calls
        if (!state || !state->machine || std::exchange(*answered, true)) return;
        asio::post(state->machine->executor(), std::move(answer));
    };
    const auto fail = [give, fail = std::move(call.fail)](const std::string& sentence) {
        give([fail, sentence] { fail(std::make_exception_ptr(Error(Code::journal, sentence))); });
    };
    const auto lose = [fail] { fail("the connection to the store broke"); };
    if (s.cut_until > s.world.now()) return s.world.after(s.delay(), lose);
    const auto number = s.calls++;
    s.pending[number].fail = lose;
    s.last_arrival = std::max(s.last_arrival, s.world.now() + s.delay());
    s.world.at(s.last_arrival, [state = state_, number, kind, call = std::move(call), give, fail, lose] {
        const auto arrived = state->pending.find(number);
        if (arrived == state->pending.end()) return;
        arrived->second.has_arrived = true;
        const auto reply = [state, number, kind, breaks = state->breaks](std::function<void()> tell) {
            auto at = state->world.now();
            if (const auto late = state->lateness(kind)) at += *late;
            else at = state->last_answer = std::max(state->last_answer, at + state->delay());
            std::optional<Clock::Time> cut;
            if (kind == CallKind::heartbeat) cut = std::exchange(state->breaks_until, {});
            state->world.at(at, [state, number, breaks, cut, tell = std::move(tell)] {
                state->pending.erase(number);
                if (breaks == state->breaks) tell();
                if (cut && *cut > state->world.now()) state->cut(*cut);
            });
        };
        if (call.writes && state->disk.full_until > state->world.now())
            return reply([fail] { fail("the disk of the store is full"); });
        if (kind == CallKind::creation && state->growths.value_or(state->disk.growths) != state->disk.growths)
            return reply([fail] { fail("the store has more databases"); });
        if (state->loses_one(kind)) return reply(lose);
        call.execute(state->store, [reply, give, lose, is_lost = state->loses_one(kind)](StoreCall::GiveAnswer answer) {
            if (is_lost) return reply(lose);
            reply([give, answer = std::move(answer)] { give(answer); });
        });
    });
}
}
