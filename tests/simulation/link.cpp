// A call has three times: it is sent, it arrives and takes effect, and its answer arrives. A break in between loses the
// rest of the call.
#include "tests/simulation/link.hpp"
#include "engine/error.hpp"
#include <boost/asio/post.hpp>

namespace simulation {
using namespace storage;
struct Link::State {
    struct Pending {
        std::function<void()> fail;  // gives an error as the answer
        bool has_arrived = false;
    };
    State(Machine& m, Store& s, const Disk& full, Delays d)
        : machine(&m), world(m.world()), store(s), disk(full), delays(d) {}
    Machine* machine;  // null after the death
    World& world;
    Store& store;
    const Disk& disk;
    const Delays delays;
    Clock::Time cut_until{}, last_arrival{}, last_answer{};
    std::map<std::uint64_t, Pending> pending;
    std::uint64_t calls = 0, breaks = 0;

    Duration delay() { return world.up_to(world.happens(delays.rare_in_thousand) ? delays.rare : delays.usual); }
    /// Loses the last calls that have not arrived.
    void lose_calls() {
        auto first = pending.begin();
        while (first != pending.end() && first->second.has_arrived) ++first;
        const auto left = std::distance(first, pending.end());
        std::advance(first, world.below(std::uint64_t(left) + 1));
        pending.erase(first, pending.end());
    }
};
namespace {
std::exception_ptr broken() {
    return std::make_exception_ptr(Error(Code::journal, "the connection to the store broke"));
}
std::exception_ptr full() { return std::make_exception_ptr(Error(Code::journal, "the disk of the store is full")); }
}
Link::Link(Machine& machine, Store& store, const Disk& disk, Delays delays)
    : state_(std::make_shared<State>(machine, store, disk, delays)) {}
Link::~Link() { die(); }
bool Link::is_cut() const { return state_->cut_until > state_->world.now(); }
std::uint64_t Link::breaks() const { return state_->breaks; }
void Link::die() {
    if (!std::exchange(state_->machine, nullptr)) return;
    state_->lose_calls();
}
void Link::cut_until(Clock::Time at) {
    auto& s = *state_;
    s.cut_until = std::max(s.cut_until, at);
    ++s.breaks;
    std::vector<std::function<void()>> fails;
    for (auto& [number, call] : s.pending) fails.push_back(call.fail);
    s.lose_calls();
    for (auto& fail : fails) s.world.after(s.world.up_to(std::chrono::seconds(2)), fail);
}
template <class T> void Link::pass(Then<T> then, std::function<void(Store&, Then<T>)> call, bool writes) {
    auto& s = *state_;
    if (!s.machine) return;
    const auto answered = std::make_shared<bool>(false);
    const auto answer = [of = std::weak_ptr(state_), answered, then](const std::exception_ptr& error, T value) {
        const auto state = of.lock();  // the state has this answer among its pending calls
        if (!state || !state->machine || std::exchange(*answered, true)) return;
        asio::post(state->machine->executor(),
                   [then, error, value = std::move(value)]() mutable { then(error, std::move(value)); });
    };
    if (is_cut()) return s.world.after(s.delay(), [answer] { answer(broken(), T{}); });
    const auto number = s.calls++;
    s.pending[number].fail = [answer] { answer(broken(), T{}); };
    s.last_arrival = std::max(s.last_arrival, s.world.now() + s.delay());
    s.world.at(s.last_arrival, [state = state_, number, call = std::move(call), answer, writes] {
        const auto arrived = state->pending.find(number);
        if (arrived == state->pending.end()) return;
        arrived->second.has_arrived = true;
        const auto breaks = state->breaks;
        const auto reply = [state, number, breaks, answer](const std::exception_ptr& error, T value) {
            state->last_answer = std::max(state->last_answer, state->world.now() + state->delay());
            auto shared = std::make_shared<T>(std::move(value));
            state->world.at(state->last_answer, [state, number, breaks, answer, error, shared] {
                state->pending.erase(number);
                if (breaks == state->breaks) answer(error, std::move(*shared));
            });
        };
        if (writes && state->disk.full_until > state->world.now()) reply(full(), T{});
        else call(state->store, reply);
    });
}
void Link::create(NewRun run, Then<CreateReply> then) {
    pass<CreateReply>(
        std::move(then), [run = std::move(run)](Store& to, auto answer) { to.create(run, answer); }, true);
}
void Link::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    pass<std::vector<CreateReply>>(
        std::move(then), [runs = std::move(runs)](Store& to, auto answer) { to.create_all(runs, answer); }, true);
}
void Link::append(Batch batch, Then<AppendReply> then) {
    pass<AppendReply>(
        std::move(then), [batch = std::move(batch)](Store& to, auto answer) { to.append(batch, answer); }, true);
}
void Link::load(std::string run, Then<History> then, std::uint64_t from) {
    pass<History>(std::move(then),
                  [run = std::move(run), from](Store& to, auto answer) { to.load(run, answer, from); });
}
void Link::write_log(LogEntries entries, Then<LogReply> then) {
    pass<LogReply>(
        std::move(then), [entries = std::move(entries)](Store& to, auto answer) { to.write_log(entries, answer); },
        true);
}
void Link::read_log(std::string run, std::uint64_t from, std::size_t most, Then<LogPart> then, std::size_t bytes) {
    pass<LogPart>(std::move(then), [run = std::move(run), from, most, bytes](Store& to, auto answer) {
        to.read_log(run, from, most, answer, bytes);
    });
}
void Link::plan(std::string hash, Then<StoredPlan> then) {
    pass<StoredPlan>(std::move(then), [hash = std::move(hash)](Store& to, auto answer) { to.plan(hash, answer); });
}
void Link::send(Mail mail, Then<SendReply> then) {
    pass<SendReply>(
        std::move(then), [mail = std::move(mail)](Store& to, auto answer) { to.send(mail, answer); }, true);
}
void Link::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    pass<std::vector<RunRow>>(
        std::move(then), [claim = std::move(claim)](Store& to, auto answer) { to.claim(claim, answer); }, true);
}
void Link::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    pass<HeartbeatReply>(std::move(then),
                         [worker = std::move(worker)](Store& to, auto answer) { to.heartbeat(worker, answer); });
}
void Link::list(Filter filter, Then<std::vector<RunRow>> then) {
    pass<std::vector<RunRow>>(std::move(then),
                              [filter = std::move(filter)](Store& to, auto answer) { to.list(filter, answer); });
}
void Link::survey(Then<Survey> then) {
    pass<Survey>(std::move(then), [](Store& to, auto answer) { to.survey(answer); });
}
void Link::prune(Filter filter, Then<std::uint64_t> then) {
    pass<std::uint64_t>(std::move(then),
                        [filter = std::move(filter)](Store& to, auto answer) { to.prune(filter, answer); });
}
void Link::load_mail(std::string run, Then<std::vector<Mail>> then) {
    pass<std::vector<Mail>>(std::move(then),
                            [run = std::move(run)](Store& to, auto answer) { to.load_mail(run, answer); });
}
}
