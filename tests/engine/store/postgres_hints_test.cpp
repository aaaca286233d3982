// Notifications between stores of one database, and their saved time.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/postgres_server.hpp"
#include <algorithm>
#include <condition_variable>
#include <doctest/doctest.h>
#include <latch>
#include <map>
#include <mutex>

using namespace stores;

namespace {
/// Collects received hints by owner.
class Heard {
public:
    explicit Heard(Store& store)
        : hints_(store.on_hint([this](std::string_view owner) {
              std::lock_guard lock(mutex_);
              ++all_[std::string(owner)];
              changed_.notify_all();
          })) {
        list(store);  // an answer comes after the begin of listening
    }
    bool waits_for(const std::string& owner, std::size_t count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, test::limit, [&] { return all_[owner] >= count; });
    }
    std::map<std::string, std::size_t> all() {
        std::lock_guard lock(mutex_);
        return all_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::size_t> all_;
    std::shared_ptr<void> hints_;  // last member: destroyed first
};
PostgresServer& hinting_server() {
    auto& server = PostgresServer::shared();
    server.clear();
    return server;
}

struct WishEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(WishEvent, (), ())
struct ShallEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(ShallEvent, (), ())
struct DoEvent : Answers<ShallEvent> {
    bool yes = false;
};
BOOST_DESCRIBE_STRUCT(DoEvent, (), (yes))
struct GrantedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(GrantedEvent, (), ())
ShallEvent ask_for_wish(Context&, WishEvent) { return {}; }
GrantedEvent grant(Context&, DoEvent) { return {}; }
inline constexpr auto wishing = workflow("wishing", step<ask_for_wish>, step<grant>);

awaitable<bool> asks(RunOf<wishing> run) {
    while (auto event = co_await run.next_event())
        if (event->get_if<ShallEvent>()) co_return true;
    co_return false;
}
/// Returns the median time in milliseconds from an answer by another process to the owner's reaction.
double time_to_act(const std::string& url, bool hints, std::size_t runs) {
    PostgresStore store(url, {.hints = hints}), other(url);
    Engine engine({.store = &store});
    const auto stored = durable<>(wishing);
    std::vector<double> times;
    for (std::size_t i = 0; i < runs; ++i) {
        const auto id = std::string(hints ? "hinted " : "polled ") + std::to_string(i);
        auto run = engine.start(stored, {}, {.id = id});
        if (!engine.wait(asks(run))) throw std::logic_error(id);
        const auto begun = std::chrono::steady_clock::now();
        send(other, id, "yes", R"({"event": "DoEvent", "data": {"yes": true}})");
        engine.wait(run.result());
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("a store gets hints of mail with its run, and of ready runs, and no other hints") {
    auto& server = hinting_server();
    PostgresStore store(server.url()), other(server.url());
    create(other, run_of("of ann"));
    create(other, run_of("asleep"));
    auto leave = batch_of(other, "asleep", {"asked"});
    leave.left = left(RunStatus::waiting);
    append(other, leave);
    Heard heard(store);

    send(other, "of ann", "m");
    CHECK(heard.waits_for("ann", 1));
    send(other, "asleep", "m");
    CHECK(heard.waits_for("", 1));
    create(other, run_of("bob's", "bob"));
    append(other, batch_of(other, "of ann", {"a"}));
    send(other, "of ann", "m");  // again
    create(other, run_of("ready", ""));
    CHECK(heard.waits_for("", 2));

    CHECK(heard.all() == std::map<std::string, std::size_t>{{"", 2}, {"ann", 1}});
}
TEST_CASE("a burst of mail is few hints") {
    auto& server = hinting_server();
    PostgresStore store(server.url()), other(server.url());
    create(other, run_of("r1"));
    Heard heard(store);
    constexpr int letters = 3000;
    std::latch sent{letters};

    for (int i = 0; i < letters; ++i)
        other.send({"r1", std::to_string(i), "{}"}, [&](std::exception_ptr, SendReply) { sent.count_down(); });
    sent.wait();
    create(other, run_of("last", ""));
    CHECK(heard.waits_for("", 1));

    CHECK(heard.all()["ann"] >= 1);
    CHECK(heard.all()["ann"] < letters / 10);
}
TEST_CASE("hints arrive again after the server was killed, and also from a store that is closed immediately") {
    auto& server = hinting_server();
    PostgresStore store(server.url());
    create(store, run_of("r1"));
    Heard heard(store);
    server.kill();
    server.start();
    list(store);  // with a new connection

    {
        PostgresStore brief(server.url());
        send(brief, "r1", "m");
    }

    CHECK(heard.waits_for("ann", 1));
}
TEST_CASE("a subscription that has ended gets no more hints, also after the store is destroyed") {
    auto& server = hinting_server();
    PostgresStore other(server.url());
    create(other, run_of("r1"));
    auto store = std::make_unique<PostgresStore>(server.url());
    int calls = 0;
    auto first = store->on_hint([&](std::string_view) { ++calls; });
    REQUIRE(first);
    Heard heard(*store);
    first.reset();
    send(other, "r1", "m");
    CHECK(heard.waits_for("ann", 1));

    auto second = store->on_hint([](std::string_view) {});
    store.reset();
    second.reset();

    CHECK(calls == 0);
    CHECK_FALSE(PostgresStore(server.url(), {.hints = false}).on_hint([](std::string_view) {}));
}
TEST_SUITE_END();
TEST_CASE("the owner of a run acts on an answer immediately, not with its next heartbeat") {
    double polled = 0, hinted = 0;

    for (int i = 0; i < 10 && hinted * 2 >= polled; ++i) {  // a busy machine needs more tries
        auto& server = hinting_server();
        polled = time_to_act(server.url(), false, 11);
        hinted = time_to_act(server.url(), true, 31);
    }

    MESSAGE("median of 11 answers without hints " << polled << " ms, of 31 with hints " << hinted << " ms");
    CHECK(hinted * 2 < polled);
}
