// Limits of models: the arithmetic, and the promises of every store.
#include "engine/store/model_flow.hpp"
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>
#include <future>

using namespace stores;

namespace {
constexpr std::int64_t second = 1'000'000;
ModelLimit limit_of(std::optional<std::uint64_t> requests, std::optional<std::uint64_t> tokens = {},
                    std::string per = "") {
    return {.model = "openai:m", .requests = requests, .tokens = tokens, .per = std::move(per)};
}
QuotaRequest::WaitingKey calls(std::size_t n, std::int64_t tokens = 1, std::string key = "") {
    return {std::move(key), std::vector<std::int64_t>(n, tokens)};
}
QuotaRequest request_of(std::vector<QuotaRequest::WaitingKey> waiting, std::string owner = "w1") {
    return {.model = "openai:m", .owner = std::move(owner), .waiting = std::move(waiting)};
}
std::uint64_t sum(const QuotaReply& reply) {
    std::uint64_t all = 0;
    for (const auto granted : reply.granted) all += granted;
    return all;
}
/// Processes that always have calls waiting, and ask again when they are told to.
struct BusyProcess {
    std::string owner, key;
    std::int64_t tokens = 1, next = second;
    std::size_t calls = 50;
    std::vector<std::pair<std::int64_t, std::uint64_t>> sent;  // time, calls
    std::uint64_t all = 0;
};
void go_on(const ModelLimit& limit, std::vector<BusyProcess>& processes, std::int64_t until) {
    ModelQuotaState state;
    for (std::int64_t now = second; now < until; now += 10'000)
        for (auto& process : processes) {
            if (now < process.next) continue;
            const auto reply = take_quota(
                limit, state, request_of({calls(process.calls, process.tokens, process.key)}, process.owner), now);
            process.next = now + reply.wait_us;
            process.all += sum(reply);
            if (sum(reply)) process.sent.emplace_back(now, sum(reply));
            state = read_model_state(write_model_state(state));
        }
}
std::uint64_t fullest_minute(const std::vector<BusyProcess>& processes) {
    std::map<std::int64_t, std::uint64_t> at;
    for (auto& process : processes)
        for (auto& [time, count] : process.sent) at[time] += count;
    std::uint64_t most = 0;
    for (auto& [from, first] : at) {
        std::uint64_t all = 0;
        for (auto to = at.find(from); to != at.end() && to->first <= from + 60 * second; ++to) all += to->second;
        most = std::max(most, all);
    }
    return most;
}
void set_limit(Store& store, ModelLimit limit) {
    answer_of<bool>([&](auto then) { store.set_model_limit(std::move(limit), then); });
}
QuotaReply take(Store& store, QuotaRequest request) {
    return answer_of<QuotaReply>([&](auto then) { store.take_quota(std::move(request), then); });
}
std::vector<ModelFlow> flows(Store& store) {
    return answer_of<std::vector<ModelFlow>>([&](auto then) { store.model_limits(then); });
}
std::vector<ModelLimit> limits(Store& store) {
    const auto all = flows(store);
    return {all.begin(), all.end()};
}
}
TEST_CASE("no minute has more requests than the limit, and nearly as many, whatever the limit and the processes are") {
    for (const std::uint64_t requests : {1, 2, 5, 10, 49, 50, 60, 100, 500, 6000, 60'000})
        for (const std::size_t count : {1, 4, 9}) {
            CAPTURE(requests);
            CAPTURE(count);
            std::vector<BusyProcess> processes;
            for (std::size_t i = 0; i < count; ++i) processes.push_back({std::to_string(i), ""});
            for (auto& process : processes) process.calls = 1000;
            go_on(limit_of(requests), processes, 601 * second);
            CHECK(fullest_minute(processes) <= requests);
            std::uint64_t all = 0;
            for (auto& process : processes) all += process.all;
            CHECK(all >= std::uint64_t(double(requests) * 9.5));
        }
}
TEST_CASE("processes and keys that wait get equal shares, however many calls each has and how often it asks") {
    for (const std::uint64_t requests : {60, 600, 6000}) {
        CAPTURE(requests);
        std::vector<BusyProcess> tenants{{"w1", "a"}, {"w1b", "a"}, {"w2", "a"}, {"w3", "b"}};
        tenants[3].calls = 8;
        go_on(limit_of(requests, {}, "value.tenant"), tenants, 121 * second);
        const auto a = tenants[0].all + tenants[1].all + tenants[2].all;
        CHECK(double(a) <= 1.1 * double(tenants[3].all) + 2);
        CHECK(double(tenants[3].all) <= 1.1 * double(a) + 2);

        std::vector<BusyProcess> processes{{"w1", ""}, {"w2", ""}, {"w3", ""}};
        processes[0].calls = 1000;
        go_on(limit_of(requests), processes, 121 * second);
        for (auto& process : processes) CHECK(double(process.all) >= double(processes[0].all) * 0.8 - 2);
    }
}
TEST_CASE("a key with large calls gets as many tokens as one with small calls, not as many calls") {
    std::vector<BusyProcess> tenants{{"w1", "large", 1000}, {"w2", "small", 100}};
    go_on(limit_of({}, 600'000, "value.tenant"), tenants, 121 * second);
    CHECK(tenants[1].all > tenants[0].all * 8);
    CHECK(tenants[1].all < tenants[0].all * 12);
    CHECK(tenants[0].all * 1000 + tenants[1].all * 100 > 1'140'000);
}
TEST_CASE("a call with more tokens than a minute has is sent alone, and the next one waits for its debt") {
    ModelQuotaState state;
    const auto limit = limit_of({}, 6000);
    CHECK(sum(take_quota(limit, state, request_of({calls(2, 50'000)}), second)) == 1);
    CHECK(sum(take_quota(limit, state, request_of({calls(1, 10)}), 50 * second)) == 0);
    CHECK(sum(take_quota(limit, state, request_of({calls(1, 10)}), 70 * second)) == 1);
}
TEST_CASE("tokens that a call did not take can be sent by the next one, and missing ones delay it") {
    const auto limit = limit_of({}, 60'000);
    ModelQuotaState state;
    CHECK(sum(take_quota(limit, state, request_of({calls(1, 1000)}), second)) == 1);
    auto back = request_of({calls(1, 900)});
    back.tokens_back = 950;
    CHECK(sum(take_quota(limit, state, back, second)) == 1);
    back = request_of({calls(1, 1)});
    back.tokens_back = -10'000;
    CHECK(sum(take_quota(limit, state, back, 2 * second)) == 0);
    CHECK(sum(take_quota(limit, state, request_of({calls(1, 1)}), 20 * second)) == 1);
}
TEST_CASE("a process that died while it waited holds the others back for two seconds at most") {
    ModelQuotaState state;
    const auto limit = limit_of(600);
    take_quota(limit, state, request_of({calls(100)}, "dead"), second);
    std::uint64_t all = 0;
    for (std::int64_t now = second; now < 4 * second; now += 50'000)
        all += sum(take_quota(limit, state, request_of({calls(100)}, "alive"), now));
    CHECK(all >= 15);
    CHECK(state.keys.at("").owners.size() == 1);
}
TEST_CASE("an idle model keeps one second of its limit, and a clock that jumps gives and takes nothing") {
    ModelQuotaState state;
    const auto limit = limit_of(600);
    CHECK(sum(take_quota(limit, state, request_of({calls(100)}), 1000 * second)) == 10);
    CHECK(sum(take_quota(limit, state, request_of({calls(100)}), 5000 * second)) == 10);
    CHECK(sum(take_quota(limit, state, request_of({calls(100)}), 10 * second)) == 0);
    CHECK(sum(take_quota(limit, state, request_of({calls(100)}), 11 * second)) >= 9);
}
TEST_CASE("more keys than a state can hold share one place") {
    ModelQuotaState state;
    for (int i = 0; i < 30; ++i) {
        std::vector<QuotaRequest::WaitingKey> waiting;
        for (int k = 0; k < 100; ++k) waiting.push_back(calls(1, 1, std::to_string(i * 100 + k)));
        CHECK(take_quota(limit_of(60), state, request_of(waiting), second).granted.size() == 100);
    }
    CHECK(write_model_state(state).size() < 100'000);
}
TEST_CASE("a store shares the limit of a model among processes, and a changed limit counts at once") {
    on_every_store([](Store& store, House& house) {
        CHECK(!take(store, request_of({calls(5)})).limit);
        set_limit(store, limit_of(600, {}, "value.tenant"));
        CHECK(limits(store) == std::vector{limit_of(600, {}, "value.tenant")});

        const auto first = take(store, request_of({calls(6, 1, "a")}));
        CHECK(sum(first) == 6);
        REQUIRE(first.limit);
        CHECK(first.limit->per == "value.tenant");
        CHECK(sum(take(store, request_of({calls(60, 1, "a")}, "w2"))) == 4);
        CHECK(sum(take(store, request_of({calls(60, 1, "a")}, "w2"))) == 0);
        house.time += second;
        CHECK(sum(take(store, request_of({calls(60, 1, "a")}, "w2"))) == 9);

        set_limit(store, limit_of(6000, {}, "value.tenant"));
        house.time += second;
        CHECK(sum(take(store, request_of({calls(200, 1, "a")}, "w2"))) >= 98);
        set_limit(store, limit_of({}));
        CHECK(limits(store).empty());
        CHECK(!take(store, request_of({calls(5)})).limit);
    });
}
TEST_CASE("a store tells what is left of a model's limit and how many keys wait, without a dead process") {
    on_every_store([](Store& store, House& house) {
        set_limit(store, limit_of(600, 6000, "value.tenant"));
        REQUIRE(flows(store).size() == 1);
        CHECK(flows(store)[0].requests_left == 10);
        CHECK(flows(store)[0].tokens_left == 100);
        CHECK(flows(store)[0].waiting == 0);

        take(store, request_of({calls(4, 30, "a"), calls(1, 30, "b")}, "w1"));
        take(store, request_of({calls(4, 30, "a")}, "w2"));
        auto flow = flows(store)[0];
        CHECK(*flow.requests_left == doctest::Approx(7).epsilon(0.01));
        CHECK(*flow.tokens_left == doctest::Approx(10).epsilon(0.1));
        CHECK(flow.waiting >= 2);
        CHECK(flows(store)[0].waiting == flow.waiting);

        house.time += 3 * second;
        flow = flows(store)[0];
        CHECK(flow.requests_left == 10);
        CHECK(flow.waiting == 0);
    });
}
TEST_CASE("a store grants no call twice when several processes ask at once") {
    on_every_store([](Store& store, House&) {
        set_limit(store, limit_of(6000));
        std::atomic<std::uint64_t> all{0};
        std::atomic<int> left{40};
        std::promise<void> done;
        for (int i = 0; i < 40; ++i)
            store.take_quota(request_of({calls(10)}, "w" + std::to_string(i)),
                             [&](std::exception_ptr error, auto reply) {
                                 if (!error) all += sum(reply);
                                 if (--left == 0) done.set_value();
                             });
        done.get_future().wait();
        CHECK(all == 100);
    });
}
TEST_CASE("a store refuses limits of models that contradict themselves, and too large questions") {
    on_every_store([](Store& store, House&) {
        const auto refused = [&](ModelLimit limit) { return refusal([&] { set_limit(store, limit); }).sentence; };
        CHECK(refused(limit_of(0)) == "a limit of openai:m is 1 to 1000000000 a minute");
        CHECK(refused(limit_of({}, most_model_rate + 1)) == "a limit of openai:m is 1 to 1000000000 a minute");
        CHECK(refused(limit_of(5, {}, "tenant")) ==
              "the key of runs is a member of their values, such as value.tenant, and \"tenant\" is none");
        auto nameless = limit_of(5);
        nameless.model = "";
        CHECK(refused(nameless) ==
              "the name of a limited model is one line of 1 to 200 bytes of UTF-8, and \"\" is not");
        CHECK(refusal([&] { take(store, request_of({calls(most_waiting_calls + 1)})); }).code == Code::usage);
    });
}
TEST_CASE("a limit and a state are read as they were written, and a damaged text limits nothing") {
    const auto limit = limit_of(5, 7, "value.x");
    CHECK(read_model_limit(write_model_limit(limit)) == limit);
    for (const auto* text : {"", "[]", "{}", R"({"model":1})", R"({"model":"m","per":"","requests":0})"})
        CHECK(!read_model_limit(text));
    for (const auto* text : {"", "[]", "{}", R"({"at":1,"keys":{"a":[]}})"}) CHECK(read_model_state(text).keys.empty());
}
