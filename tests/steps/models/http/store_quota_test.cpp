// Limits of models that a store keeps: several processes before a model with a hard limit, in virtual time.
#include "engine/spawn.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/timeout.hpp"
#include "steps/models/http/store_quota.hpp"
#include "tests/steps/models/asking.hpp"
#include <deque>
#include <doctest/doctest.h>
#include <numeric>

using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using testing::RudeServer;

namespace {
const std::string model = "openai:m";
std::int64_t microseconds(const Clock& clock) { return clock.wall().time_since_epoch().count(); }
void limit(Store& store, std::optional<std::uint64_t> requests, std::optional<std::uint64_t> tokens = {},
           std::string per = "") {
    const storage::ModelLimit limit{.model = model, .requests = requests, .tokens = tokens, .per = std::move(per)};
    storage::answer_of<bool>([&](auto then) { store.set_model_limit(limit, then); });
}
/// A provider that refuses what exceeds its limits in any 60 seconds.
struct HardLimit {
    std::size_t requests;
    std::int64_t tokens;
    std::deque<std::pair<Clock::Time, std::int64_t>> last = {};
    std::map<std::string, int> accepted = {};
    int refused = 0;
    bool take(Clock::Time now, const std::string& tenant, std::int64_t cost) {
        while (!last.empty() && last.front().first <= now - 60s) last.pop_front();
        const auto sum = std::accumulate(last.begin(), last.end(), cost,
                                         [](auto all, auto& one) { return all + one.second; });
        if (last.size() >= requests || sum > tokens) return ++refused, false;
        last.emplace_back(now, cost);
        ++accepted[tenant];
        return true;
    }
};
/// One waiting call after the other, until the time has come.
awaitable<void> keep_asking(ModelQuota& quota, HardLimit& mock, std::string tenant, int seed, Clock::Time until) {
    auto& clock = co_await this_clock();
    for (int i = seed; clock.now() < until; ++i) {
        QuotaCall call{.model = model, .prompt_tokens = 100};
        call.value_of = [&tenant](const std::string& name) { return name == "tenant" ? tenant : ""; };
        auto entering = quota.enter(std::move(call));
        const auto permit = co_await std::move(entering);
        if (clock.now() >= until) co_return;
        const auto used = 150 + i * 37 % 200;
        const bool is_taken = mock.take(clock.now(), tenant, used);
        co_await sleep_for(std::chrono::milliseconds(200 + i * 61 % 400));
        quota.leave(permit, is_taken ? used : 0);
    }
}
struct Flood {
    testing::ManualClock clock;
    MemoryStore store{[this] { return microseconds(clock); }};
    std::vector<std::unique_ptr<StoreQuota>> processes;
    HardLimit mock;
    /// Four processes; of each five calls, four are the flooding tenant's.
    void run(Duration time) {
        asio::io_context io{1};
        const auto until = clock.now() + time;
        for (int p = 0; p < 4; ++p) {
            processes.push_back(std::make_unique<StoreQuota>(store));
            for (int i = 0; i < 50; ++i)
                spawn(Runtime{io.get_executor(), &clock},
                      keep_asking(*processes.back(), mock, i % 5 ? "a" : "b", p * 50 + i, until),
                      [](std::exception_ptr error) { CHECK(!error); });
        }
        testing::drive(io, clock);
    }
};
}
TEST_CASE("four processes use a model's limit of requests, exceed it never, and serve two tenants alike") {
    Flood flood{.mock = {600, 1'000'000'000}};
    limit(flood.store, 600, {}, "value.tenant");
    flood.run(5min);
    const auto a = flood.mock.accepted["a"], b = flood.mock.accepted["b"];
    CHECK(flood.mock.refused == 0);
    CHECK(a + b >= 5 * 600 * 0.95);
    CHECK(double(std::max(a, b)) / std::min(a, b) <= 1.1);
}
TEST_CASE("four processes use a model's limit of tokens, although replies are longer or shorter than expected") {
    Flood flood{.mock = {1'000'000, 100'000}};
    limit(flood.store, {}, 100'000, "value.tenant");
    flood.run(5min);
    const auto a = flood.mock.accepted["a"], b = flood.mock.accepted["b"];
    CHECK(flood.mock.refused <= (a + b) / 100);
    CHECK((a + b) * 250 >= 5 * 100'000 * 0.95);
    CHECK(double(std::max(a, b)) / std::min(a, b) <= 1.5);
}
TEST_CASE("a cancelled call gives its place and its block back") {
    testing::ManualClock clock;
    MemoryStore store([&] { return microseconds(clock); });
    limit(store, 60);
    StoreQuota quota(store);
    const auto enter = [&](Duration patience) -> awaitable<void> {
        auto entering = quota.enter({.model = model});
        const auto permit = co_await with_timeout(patience, std::move(entering));
        CHECK(permit.model == model);
    };
    testing::await(enter(1ms), clock);
    CHECK_THROWS_AS(testing::await(enter(1ms), clock), Error);
    const auto begin = clock.now();
    testing::await(enter(5s), clock);
    CHECK(clock.now() - begin <= 1100ms);

    quota.leave({.model = model}, std::nullopt);  // it was not sent
    const auto second = clock.now();
    testing::await(enter(5s), clock);
    CHECK(clock.now() - second <= 100ms);
}
TEST_CASE(
    "a limit holds soon after it was set, calls go on when it is removed, and without one the store is asked seldom") {
    testing::ManualClock clock;
    MemoryStore inner([&] { return microseconds(clock); });
    FailingStore store(inner);
    StoreQuota quota(store);
    const auto enter = [&]() -> awaitable<void> {
        if (!quota.may_limit(model, clock.now())) co_return;
        auto entering = quota.enter({.model = model});
        co_await std::move(entering);
    };
    for (int i = 0; i < 1000; ++i) testing::await(enter(), clock);
    CHECK(store.calls() == 1);

    limit(inner, 1);
    clock.advance(5s);
    testing::await(enter(), clock);
    const auto begin = clock.now();
    testing::await(enter(), clock);
    CHECK(clock.now() - begin > 55s);

    limit(inner, {});
    const auto removed = clock.now();
    for (int i = 0; i < 10; ++i) testing::await(enter(), clock);
    CHECK(clock.now() - removed <= 5s);
}
TEST_CASE("calls that begin while the first look is on its way are limited, too") {
    testing::ManualClock clock;
    MemoryStore inner([&] { return microseconds(clock); });
    limit(inner, 1);
    FailingStore store(inner);
    StoreQuota quota(store);
    asio::io_context io{1};
    int limited = 0;
    const auto enter = [&]() -> awaitable<void> {
        auto entering = quota.enter({.model = model});
        const auto permit = co_await std::move(entering);
        limited += permit.model == model;
    };
    store.hold();
    for (int i = 0; i < 3; ++i) spawn(Runtime{io.get_executor(), &clock}, enter(), [](std::exception_ptr) {});
    io.poll();
    CHECK(limited == 0);
    for (; limited < 3; testing::drive(io, clock)) store.release();
    CHECK(clock.wall().time_since_epoch() > testing::ManualClock().wall().time_since_epoch() + 120s);
}
TEST_CASE(
    "calls begin when the store cannot be read, wait while it cannot be written, and get its error after a minute") {
    testing::ManualClock clock;
    MemoryStore inner([&] { return microseconds(clock); });
    FailingStore store(inner);
    limit(inner, 60);
    StoreQuota quota(store);
    const auto enter = [&]() -> awaitable<void> {
        auto entering = quota.enter({.model = model});
        co_await std::move(entering);
    };
    store.fail(0);
    testing::await(enter(), clock);
    clock.advance(5s);
    store.fail(1, FailingStore::FailureMode::from_now_on);
    asio::io_context io{1};
    bool has_entered = false;
    spawn(Runtime{io.get_executor(), &clock}, enter(), [&](std::exception_ptr error) { has_entered = !error; });
    for (int seconds = 0; seconds < 50; ++seconds) {
        io.restart();
        io.poll();
        clock.advance(1s);
    }
    store.fail_no_more();
    testing::drive(io, clock);
    CHECK(has_entered);

    store.fail(1, FailingStore::FailureMode::from_now_on);
    CHECK_THROWS_AS(testing::await(enter(), clock), Error);
    store.fail_no_more();
    testing::await(enter(), clock);
}
TEST_CASE("a model call waits for the store's limit within its deadline, says so, and settles by the reply's usage") {
    testing::ManualClock clock;
    MemoryStore store([&] { return microseconds(clock); });
    limit(store, {}, 6000);
    const auto reply = R"({"choices":[{"message":{"content":"42"},"finish_reason":"stop"}],)"
                       R"("usage":{"prompt_tokens":1000,"completion_tokens":2000}})";
    RudeServer server({once(200, reply), once(200, reply)});
    auto options = options_for(server);
    options.quota = std::make_shared<StoreQuota>(store);
    HttpModel asked(options);

    CHECK(ask(asked, clock).waited < 1s);
    ChatRequest hurried;
    hurried.time_left = 5s;
    const auto refused = ask(asked, clock, hurried);
    CHECK(refused.error ==
          "openai:m has used up its limits in this store; the request would have waited for more than 5 s");
    CHECK(refused.code == Code::model_refused);
    const auto second = ask(asked, clock);
    CHECK(second.waited > 20s);
    REQUIRE(second.notes.size() == 1);
    CHECK(second.notes[0].kind == CallNote::Kind::held);
    CHECK(second.notes[0].text == "openai:m may have 6000 tokens a minute in this store: the request is held back");
}
