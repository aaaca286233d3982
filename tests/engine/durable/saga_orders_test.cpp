// Every order of cancellations, deadlines, failures, crashes and outages of a stored run: it undoes once, or tells why
// not.
#include "engine/durable.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/once.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/timeout.hpp"
#include "tests/support/mortal_process.hpp"
#include "tests/support/stored_run.hpp"
#include <set>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;
using testing::ManualClock;

namespace {
struct OrderEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), ())
struct PaidEvent {};
BOOST_DESCRIBE_STRUCT(PaidEvent, (), ())
struct SentEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(SentEvent, (), ())
struct Till {
    std::set<std::string> paid, repaid;  // keys
    bool fails = false;
    std::chrono::nanoseconds pause = 20min;
    bool sleeps = false;  // durably, in the undo step
};
awaitable<int> note(std::set<std::string>& all, std::string key) {
    all.insert(key);
    co_return 1;
}
awaitable<PaidEvent> pay(Context& ctx, OrderEvent, Till& till) {
    auto paying = note(till.paid, ctx.key());
    co_await ctx.once("pay", std::move(paying));
    co_return PaidEvent{};
}
awaitable<SentEvent> send(Context&, PaidEvent, Till& till) {
    for (int i = 0; i < 1000 && !till.fails; ++i) co_await sleep_for(1min);
    if (till.fails) throw Error(Code::model_refused, "sold out");
    co_return SentEvent{};
}
awaitable<void> repay(Context& ctx, RunEndingEvent, Till& till) {
    if (till.sleeps) co_await ctx.sleep(till.pause);
    else co_await sleep_for(till.pause);
    auto repaying = note(till.repaid, ctx.key());
    co_await ctx.once("repay", std::move(repaying));
}
inline constexpr auto order = workflow("order", step<pay>, step<send>, step<repay>.within(1h));
inline constexpr auto rigid = workflow("rigid", step<pay>, step<send>);
template <class R> std::string error_of(const R& run) {
    try {
        (void)run.outcome();
    } catch (const RunError& error) { return std::string(name(error.code())) + ": " + error.what(); }
    return "none";
}
void cancel_by_mail(Store& store, std::string_view id = journal::cancel_mail) {
    store.send({.run = "t", .id = std::string(id), .body = R"({"cancel":true})"}, [](std::exception_ptr, SendReply) {});
}
/// Lets the next event of a story happen, by its letter.
template <class P> void happen(P& process, char what, Till& till) {
    switch (what) {
    case 'c': return process.run->cancel();
    case 'd': return process.pass(125);  // beyond the deadline
    case 'p': return process.pass(10);   // half of the undoing
    case 'f': till.fails = true; return process.pass(5);
    case 'k': return process.die_and_resume(0h);
    case 'o': return process.die_and_resume(3h);
    case 'm':  // it becomes late and cancelled while nobody has it
        process.leave();
        cancel_by_mail(process.store);
        process.clock.advance(3h);
        return process.resume();
    default: process.leave(); return process.resume();
    }
}
}

TEST_CASE("a run undoes once whatever the order of its cancellations, deadlines, failures, crashes and outages") {
    const std::string events = "cdpfkoml";
    const auto count = events.size() * events.size() * events.size();
    int undone = 0, refused = 0;
    for (const bool has_undo : {true, false})
        for (std::size_t n = 0; n < 2 * count; ++n) {
            const std::string story{events[n % 8], events[n / 8 % 8], events[n / 64 % 8]};
            const bool settles = n >= count;
            CAPTURE(story);
            CAPTURE(settles);
            CAPTURE(has_undo);
            MemoryStore store;
            ManualClock clock;
            Till till{.sleeps = n % 2 == 1};
            const auto live = [&](auto bound) {
                dying::MortalProcess process(store, clock, bound, std::uint32_t(n / 3 % 2));
                process.start(OrderEvent{}, {.timeout = 2h, .id = "t"});
                for (const char what : story) {
                    happen(process, what, till);
                    if (settles) process.world->run();
                }
                process.pass(1200);
                REQUIRE(process.run->ended());
                return error_of(*process.run);
            };
            const auto error = has_undo ? live(durable<>(order.with(till))) : live(durable<>(rigid.with(till)));
            CHECK(till.paid.size() == 1);
            CHECK(error != "none");
            if (!has_undo) {
                CHECK(error.find("undoing") == std::string::npos);
                continue;
            }
            if (error.find("undoing failed") == std::string::npos) {
                CHECK(till.repaid.size() == 1);
                ++undone;
                continue;
            }
            CHECK(error.ends_with("; and undoing failed: it was cancelled, too"));
            CHECK(std::count(story.begin(), story.end(), 'c') >= 2);
            ++refused;
        }
    MESSAGE(undone << " orders undo, and a second cancellation ends the undoing in " << refused);
    CHECK(undone > 900);
}
TEST_CASE("a cancellation that was sent before the run began to undo for another reason does not end the undoing") {
    for (const bool is_second : {false, true}) {
        CAPTURE(is_second);
        MemoryStore store;
        ManualClock clock;
        Till till;
        dying::MortalProcess process(store, clock, durable<>(order.with(till)));
        process.start(OrderEvent{}, {.timeout = 2h, .id = "t"});
        happen(process, 'f', till);
        process.leave();
        cancel_by_mail(store);
        if (is_second) cancel_by_mail(store, journal::end_undoing_mail);
        process.resume();
        process.pass(60);
        REQUIRE(process.run->ended());
        CHECK(till.repaid.size() == (is_second ? 0 : 1));
        CHECK(error_of(*process.run) == std::string("model_refused: step send failed: sold out") +
                                            (is_second ? "; and undoing failed: it was cancelled, too" : ""));
    }
}
TEST_CASE("outages longer than its limit leave an undoing its time five times, and then it ends with a reason") {
    for (const std::uint32_t snapshot_every : {0u, 1u})
        for (const int outages : {1, 5, 6}) {
            CAPTURE(snapshot_every);
            CAPTURE(outages);
            MemoryStore store;
            ManualClock clock;
            Till till{.pause = 40min};
            dying::MortalProcess process(store, clock, durable<>(order.with(till)), snapshot_every);
            process.start(OrderEvent{}, {.timeout = 2h, .id = "t"});
            process.run->cancel();
            process.world->run();
            for (int i = 0; i < outages; ++i) {
                process.pass(30);
                happen(process, 'o', till);
                process.world->run();
            }
            const auto entries = journal::read_entries(history_of(store, "t"));
            CHECK(std::ranges::count_if(entries, [](auto& entry) { return kind_of(entry.record) == "prolonged"; }) ==
                  std::min(outages, 5));
            process.pass(50);
            REQUIRE(process.run->ended());
            CHECK(till.repaid.size() == (outages < 6 ? 1 : 0));
            CHECK(error_of(*process.run) ==
                  std::string("cancelled: the run was cancelled") +
                      (outages < 6 ? "" : "; and undoing failed: it took longer than its limit of 3600 s"));
        }
}
TEST_CASE("the limit of an undoing ends its own sleep, also one outside of memory") {
    MemoryStore store;
    ManualClock clock;
    Till till{.pause = 100h, .sleeps = true};
    dying::MortalProcess process(store, clock, durable<>(order.with(till)));
    process.start(OrderEvent{}, {.timeout = 2h, .id = "t"});
    process.run->cancel();
    process.world->run();
    process.leave();
    clock.advance(61min);
    process.resume();
    process.world->run();
    REQUIRE(process.run->ended());
    CHECK(error_of(*process.run) ==
          "cancelled: the run was cancelled; and undoing failed: it took longer than its limit of 3600 s");
}
