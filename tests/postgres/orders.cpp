// Each line is one write, so that a dying process leaves no partial line. Its time is always the machine's, even if the
// engine's clock has another date.
#include "tests/postgres/orders.hpp"
#include "engine/operation.hpp"
#include "engine/timeout.hpp"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <unistd.h>

namespace chaos {
std::string Desk::act(const Context& ctx, const std::string& kind) const {
    static thread_local std::random_device random;
    char token[32];
    std::snprintf(token, sizeof token, "T%08x%08x", random(), random());
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto line = ctx.run_id() + ' ' + ctx.key() + '/' + kind + ' ' + std::to_string(epoch_) + ' ' + kind + ' ' +
                      token + ' ' + std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) +
                      ' ' + std::to_string(::getpid()) + '\n';
    if (::write(file_, line.data(), line.size()) != ssize_t(line.size())) std::abort();
    return token;
}
awaitable<std::string> Desk::act_later(const Context& ctx, std::string kind) const { co_return act(ctx, kind); }
awaitable<void> Desk::work(int ms) const {
    co_await weft::sleep_for(std::chrono::milliseconds(ms));
    while (!gate_.empty() && ::access(gate_.c_str(), F_OK) != 0)
        co_await weft::sleep_for(std::chrono::milliseconds(200));
}

awaitable<std::vector<ParcelEvent>> reserve(Context& ctx, OrderEvent order, Desk& desk) {
    auto reserving = desk.act_later(ctx, "once");
    auto token = co_await ctx.once("reserve", std::move(reserving));
    co_await weft::sleep_for(std::chrono::milliseconds(order.work_ms));
    ctx.edit<Tokens>([&token](Tokens& tokens) { tokens.all.push_back(token); });
    std::vector<ParcelEvent> parcels;
    for (int i = 0; i < 2; ++i)
        parcels.push_back(ParcelEvent{.number = i, .work_ms = order.work_ms, .asks = order.asks});
    co_return parcels;
}
awaitable<PackedEvent> pack(Context& ctx, ParcelEvent parcel, Desk& desk) {
    PackedEvent packed;
    packed.asks = parcel.asks;
    packed.tokens.push_back(desk.act(ctx, "first"));
    co_await desk.work(parcel.work_ms);
    auto operation = ctx.operation("act", [](weft::OperationDetails&) {});
    packed.tokens.push_back(desk.act(ctx, "late"));
    operation.end();
    co_return packed;
}
std::variant<MayIPayEvent, BillEvent> collect(Context& ctx, std::vector<PackedEvent> packed) {
    bool asks = false;
    for (auto& each : packed) {
        ctx.edit<Tokens>(
            [&each](Tokens& tokens) { tokens.all.insert(tokens.all.end(), each.tokens.begin(), each.tokens.end()); });
        asks |= each.asks;
    }
    if (asks) return MayIPayEvent();
    return BillEvent();
}
BillEvent hear(Context&, YesEvent) { return {}; }
awaitable<PaidEvent> pay(Context& ctx, BillEvent, Desk& desk) {
    auto paying = desk.act_later(ctx, "most");
    const auto receipt = co_await ctx.at_most_once("pay", std::move(paying));
    PaidEvent paid;
    paid.token = receipt.value_or("");
    co_return paid;
}
SentEvent send_off(Context& ctx, PaidEvent paid, Desk& desk) {
    if (ctx.attempt() < 2) throw std::runtime_error("the van has not come yet");
    SentEvent sent;
    sent.tokens = ctx.get<Tokens>().all;
    sent.paid = !paid.token.empty();
    if (sent.paid) sent.tokens.push_back(paid.token);
    sent.tokens.push_back(desk.act(ctx, "plain"));
    return sent;
}
SentEvent send_unpaid(Context& ctx, std::vector<PackedEvent> packed, Desk& desk) {
    SentEvent sent;
    sent.tokens = ctx.get<Tokens>().all;
    for (auto& each : packed) sent.tokens.insert(sent.tokens.end(), each.tokens.begin(), each.tokens.end());
    sent.tokens.push_back(desk.act(ctx, "plain"));
    return sent;
}
}
