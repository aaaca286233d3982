// A run that outlives its engine, as it would outlive its process.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/once.hpp"
#include "engine/store/sqlite_store.hpp"
#include <filesystem>
#include <iostream>
#include <unistd.h>
using namespace weft;

// [declare]
struct RefundEvent : StartEvent {
    std::string order;
};
BOOST_DESCRIBE_STRUCT(RefundEvent, (), (order))
struct ApprovalRequestEvent : InputRequiredEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(ApprovalRequestEvent, (), (question))
struct ApprovalEvent : Answers<ApprovalRequestEvent> {
    bool granted = false;
};
BOOST_DESCRIBE_STRUCT(ApprovalEvent, (), (granted))
struct DecisionEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(DecisionEvent, (), (text))
struct Claimed {  // a slot
    std::string text;
};
BOOST_DESCRIBE_STRUCT(Claimed, (), (text))
awaitable<std::string> look_up(std::string order) {
    std::cout << "order " << order << " is looked up\n";
    co_return "120 EUR for " + order;
}
awaitable<ApprovalRequestEvent> review(Context& ctx, RefundEvent refund) {
    auto looking = look_up(refund.order);
    const auto claim = co_await ctx.once("look up", std::move(looking));
    ctx.edit<Claimed>([&](Claimed& slot) { slot.text = claim; });
    co_return ApprovalRequestEvent{.question = "Refund " + claim + "?"};
}
DecisionEvent conclude(Context& ctx, ApprovalEvent approval) {
    return {.text = (approval.granted ? "refunded: " : "declined: ") + ctx.get<Claimed>().text};
}
inline constexpr auto refund = workflow("refund", step<review>, step<conclude>);
const auto stored = durable<Claimed>(refund);
// [/declare]

awaitable<std::string> question_of(RunOf<refund> run) {
    while (auto event = co_await run.next_event())
        if (auto* ask = event->get_if<ApprovalRequestEvent>()) co_return ask->question;
    co_return "";
}

int main() {
    const auto file = std::filesystem::temp_directory_path() / ("refunds." + std::to_string(::getpid()) + ".db");
    {
        // [ask]
        SqliteStore store(file.string());
        Engine engine({.store = &store});
        auto run = engine.start(stored, {.order = "A-17"}, {.key = "A-17"});
        std::cout << engine.wait(question_of(run)) << '\n';
        // [/ask]
    }
    // [recover]
    SqliteStore store(file.string());
    Engine engine({.store = &store});
    for (auto& id : engine.recover(stored)) {
        auto run = engine.resume(stored, id);  // which goes on already
        std::cout << id << " asks: " << engine.wait(question_of(run)) << '\n';
        run.send(ApprovalEvent{.granted = true});
        std::cout << engine.wait(run.result()).text << '\n';
    }
    // [/recover]
}
// prints:
// order A-17 is looked up
// Refund 120 EUR for A-17?
// refund:A-17 asks: Refund 120 EUR for A-17?
// refunded: 120 EUR for A-17
