#include "steps/models/http/limiter.hpp"
#include "steps/models/http/retry_allowance.hpp"
#include "tests/steps/models/asking.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <set>
#include <thread>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using testing::RudeServer;

namespace {
const Clock::Time start{std::chrono::hours(1)};
const auto good = once(200, whole_reply);
}

TEST_CASE("delayed calls are sent one after another after the pause, also late ones") {
    Account account(LimiterSettings{});
    CHECK(account.delay_for_limit(start, false, 0.5) == 0s);
    account.block_for(start, 2s);
    std::set<Duration> waits;
    for (int i = 0; i < 100; ++i) waits.insert(account.delay_for_limit(start + 1s, false, 0.5));
    CHECK(waits.size() == 100);
    CHECK(*waits.begin() >= 1s);
    CHECK(*waits.rbegin() <= 7s);
    CHECK(account.delay_for_limit(start + 3s, false, 0.5) > 3s);  // comes later, and is sent after the waiting calls
    CHECK(account.delay_for_limit(start + 3s, true, 0.5) == 0s);  // after its wait
    CHECK(account.delay_for_limit(start + 30s, false, 0.5) == 0s);
}
TEST_CASE("delayed requests are all sent within the spread, and a long pause is bounded") {
    Account account(LimiterSettings{});
    account.block_for(start, 365 * 24h);
    Duration last{};
    for (int i = 0; i < 1000; ++i) last = std::max(last, account.delay_for_limit(start, false, 0.9));
    CHECK(last >= 10min);
    CHECK(last <= 10min + 11s);
}
TEST_CASE("an account belongs to one server, key and model") {
    Limiter limiter;
    const auto account = limiter.account("https://a", Secret("k1"), "m");
    CHECK(limiter.account("https://a", Secret("k1"), "m") == account);
    for (const auto& other :
         {limiter.account("https://b", Secret("k1"), "m"), limiter.account("https://a", Secret("k2"), "m"),
          limiter.account("https://a", Secret("k1"), "n")})
        CHECK(other != account);
}
TEST_CASE("retries are at most a tenth of the requests of ten seconds, and a few in any case") {
    RetryAllowance allowance;
    const auto granted = [&](Clock::Time now) {
        int count = 0;
        while (count < 1000 && allowance.retry(now)) ++count;
        return count;
    };
    CHECK(granted(start) == 10);
    CHECK(granted(start + 9s) == 0);
    CHECK(granted(start + 10s) == 10);
    for (int i = 0; i < 500; ++i) allowance.request(start + 15s);
    CHECK(granted(start + 15s) == 40);
    CHECK(granted(start - 30min) == 10);  // another clock
}
TEST_CASE("a 429 delays the requests of other model objects and other runs with the same key") {
    RudeServer server({once(429, "", "Retry-After: 2\r\n"), good});
    auto options = options_for(server);
    HttpModel first(options), second(options);
    options.key = Secret("another-key");
    HttpModel stranger(options);
    testing::ManualClock clock;

    CHECK(ask(first, clock, {.max_retries = 0}).failure->kind() == FaultKind::throttled);
    CHECK(ask(stranger, clock).waited == 0s);
    const auto hurried = ask(second, clock, {.time_left = 1s});
    const auto held = ask(second, clock);

    CHECK(hurried.error.find("openai:m limits how often it is asked with this key; the next request may go in") == 0);
    CHECK(held.reply.text == "42");
    CHECK(held.waited >= 2s);
    CHECK(held.waited < 3s);
    REQUIRE(held.notes.size() == 1);
    CHECK(held.notes[0].kind == CallNote::Kind::held);
    clock.advance(1s);  // the impatient call had a place too
    CHECK(ask(second, clock).waited == 0s);
}
TEST_CASE("an exhausted limit in a reply delays the next request") {
    RudeServer server({once(200, whole_reply,
                            "x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 6m0s\r\n"
                            "anthropic-ratelimit-tokens-remaining: 5\r\n"),
                       once(200, whole_reply,
                            "anthropic-ratelimit-requests-remaining: 0\r\n"
                            "anthropic-ratelimit-requests-reset: 2026-01-01T00:00:13Z\r\n"),
                       good});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    CHECK(ask(model, clock).waited == 0s);
    CHECK(ask(model, clock).waited / 1s == 10);  // a hint counts for ten seconds
    CHECK(ask(model, clock).waited / 1s == 3);
}
TEST_CASE("a call fails without a retry when the allowance of the process is used up") {
    RudeServer server({once(503, "")});
    auto options = options_for(server);
    options.allowance = std::make_shared<RetryAllowance>(RetryAllowance::Settings{.share = 0.1, .least = 1});
    HttpModel model(options);
    testing::ManualClock clock;
    CHECK(ask(model, clock).error ==
          "openai:m failed (503); it was not asked again, as too many requests are being tried again already");
    CHECK(server.connections() == 2);
}
TEST_CASE("a failing server gets no requests except a probe") {
    RudeServer server({once(503, ""), once(503, ""), once(503, ""), once(503, ""), good});
    auto options = options_for(server);
    options.limiter = std::make_shared<Limiter>(LimiterSettings{.failures = 3});
    HttpModel model(options);
    testing::ManualClock clock;
    CHECK(ask(model, clock).error == "openai:m failed (503); tried 3 times");
    const auto at_once = ask(model, clock);
    CHECK(at_once.error == "openai:m failed (503); after repeated failures it is not asked again for 5 s");
    CHECK(is_availability(at_once.failure->kind()));
    CHECK(server.connections() == 3);
    clock.advance(5s);
    CHECK(ask(model, clock, {.max_retries = 0}).error == "openai:m failed (503)");  // still down
    CHECK(server.connections() == 4);
    CHECK(ask(model, clock).failure);
    clock.advance(5s);
    CHECK(ask(model, clock).reply.text == "42");
    CHECK(ask(model, clock).reply.text == "42");
}
TEST_SUITE("threads") {
    TEST_CASE("a limiter and an allowance serve several threads at once") {
        Limiter limiter;
        RetryAllowance allowance;
        std::vector<std::thread> threads;
        std::atomic<int> retries{0};
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 500; ++i) {
                    const auto account = limiter.account("https://a", Secret("k"), std::to_string(i % 3));
                    account->delay_for_limit(start, false, 0.5);
                    account->block_for(start, 1s);
                    account->note_failure(start, "failed");
                    account->delay_while_down(start);
                    account->note_answer();
                    retries += allowance.retry(start);
                }
            });
        for (auto& thread : threads) thread.join();
        CHECK(retries == 10);
    }
}
