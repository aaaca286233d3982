// A workflow whose steps have effects outside of the engine, in each way that users have: at the begin of a step; after
// a wait, in an operation, which checks that the run still belongs to this engine; by ctx.once; by ctx.at_most_once;
// and after a failure. Each effect is a line in a file that all processes share, so that it survives any process.
//
//     Desk desk(effects, row.epoch);                              // for one run under one epoch
//     engine.resume(orders_of(desk, "usual"), row.id, options);
//
// The desk must exist as long as the run is in memory. Runs of the declarations `usual` and `changed` can be carried
// over to each other; `other` has neither the question nor the payment.
#pragma once
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/retry.hpp"
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace chaos {
using weft::awaitable, weft::Context, weft::step, weft::workflow;

struct OrderEvent : weft::StartEvent {
    int work_ms = 0;  // of each step
    bool asks = false;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (work_ms, asks))
struct ParcelEvent {
    int number = 0, work_ms = 0;
    bool asks = false;
};
BOOST_DESCRIBE_STRUCT(ParcelEvent, (), (number, work_ms, asks))
struct PackedEvent {
    std::vector<std::string> tokens;
    bool asks = false;
};
BOOST_DESCRIBE_STRUCT(PackedEvent, (), (tokens, asks))
struct MayIPayEvent : weft::InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(MayIPayEvent, (), ())
struct YesEvent : weft::Answers<MayIPayEvent> {};
BOOST_DESCRIBE_STRUCT(YesEvent, (), ())
struct BillEvent {};
BOOST_DESCRIBE_STRUCT(BillEvent, (), ())
struct PaidEvent {
    std::string token;  // empty: the payment has begun, and its result is unknown
};
BOOST_DESCRIBE_STRUCT(PaidEvent, (), (token))
struct SentEvent : weft::StopEvent {
    std::vector<std::string> tokens;  // tokens of all effects, in the order of the steps
    bool paid = false;                // the payment's result is known
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (tokens, paid))
struct Tokens {
    std::vector<std::string> all;
};
BOOST_DESCRIBE_STRUCT(Tokens, (), (all))

/// Writes effects into the file. With a gate, work ends only when a file of that name exists.
class Desk {
public:
    Desk(int file, std::uint64_t epoch, std::string gate = {}) : file_(file), epoch_(epoch), gate_(std::move(gate)) {}
    /// One line: run, key, epoch, kind, token, microseconds since 1970 by the machine, process.
    std::string act(const Context&, const std::string& kind) const;
    awaitable<std::string> act_later(const Context&, std::string kind) const;
    awaitable<void> work(int ms) const;

private:
    const int file_;
    const std::uint64_t epoch_;
    const std::string gate_;
};

awaitable<std::vector<ParcelEvent>> reserve(Context&, OrderEvent, Desk&);
awaitable<PackedEvent> pack(Context&, ParcelEvent, Desk&);
std::variant<MayIPayEvent, BillEvent> collect(Context&, std::vector<PackedEvent>);
BillEvent hear(Context&, YesEvent);
awaitable<PaidEvent> pay(Context&, BillEvent, Desk&);
SentEvent send_off(Context&, PaidEvent, Desk&);
SentEvent send_unpaid(Context&, std::vector<PackedEvent>, Desk&);

// clang-format off
inline constexpr weft::Retry again_soon{.attempts = 3, .wait = weft::fixed(std::chrono::milliseconds(300))};
inline constexpr auto usual_orders = workflow("order",
    step<reserve>, step<pack>.workers(2), step<collect>, step<hear>, step<pay>, step<send_off>.retry(again_soon));
inline constexpr auto changed_orders = workflow("order",
    step<reserve>, step<pack>.workers(3), step<collect>, step<hear>, step<pay>, step<send_off>.retry(again_soon));
inline constexpr auto other_orders = workflow("order",
    step<reserve>, step<pack>.workers(2), step<send_unpaid>);
// clang-format on

/// Calls `act` with the declaration of this name.
template <class Act> auto with_orders(const std::string& build, Desk& desk, Act act) {
    if (build == "changed") return act(weft::durable(changed_orders.with(desk)));
    if (build == "other") return act(weft::durable(other_orders.with(desk)));
    return act(weft::durable(usual_orders.with(desk)));
}
}
