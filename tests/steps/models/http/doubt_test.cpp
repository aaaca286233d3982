// A request to a model by a run whose lease is in doubt.
#include "engine/core/lease.hpp"
#include "engine/durable.hpp"
#include "engine/loop.hpp"
#include "engine/store/memory_store.hpp"
#include "tests/steps/models/asking.hpp"
#include "tests/support/limit.hpp"
#include <doctest/doctest.h>

using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;

namespace {
struct LeasedEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(LeasedEvent, (), ())
struct RepliedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(RepliedEvent, (), (text))
struct Asking {
    ChatModel& model;
    int retries = 0;
};
awaitable<RepliedEvent> ask_under_lease(Context&, LeasedEvent, Asking& asking) {
    ChatRequest request;
    request.messages = {user("6 * 7?")};
    request.on_note = [&](const CallNote& note) { asking.retries += note.kind == CallNote::Kind::retry; };
    auto call = asking.model.chat(request);
    auto reply = co_await std::move(call);
    co_return RepliedEvent{.text = reply.text};
}
inline constexpr auto leased = workflow("leased", step<ask_under_lease>);
}

TEST_CASE("a request is not sent again while the lease of its run is in doubt") {
    testing::RudeServer server({once(500, "oops"), once(200, whole_reply)});
    HttpModel model(options_for(server));
    Asking asking{model};
    testing::ManualClock clock;
    MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
    asio::io_context io{1};
    const auto lease = std::make_shared<core::Lease>("ann", clock, 9s);
    Loop loop(Runtime{io.get_executor(), &clock}, {.store = &store, .seed = 1, .lease = lease});
    const auto renew = [&] {
        lease->renew(lease->holder().number, clock.since_boot());
        core::PrivateAccess::loop(loop).keeper().lease_renewed();
    };
    const auto run_until = [&](auto is_done) {
        io.restart();
        while (!is_done()) REQUIRE(io.run_one_for(test::limit) == 1);
    };
    const auto run_all = [&] {
        io.restart();
        while (io.poll() > 0) {}
    };
    renew();
    auto run = loop.start(durable<>(leased.with(asking)), {}, {.id = "a"});
    run_until([&] { return asking.retries == 1; });

    clock.advance(7s);  // time for the second try
    run_all();
    const auto doubted_at = clock.now();
    REQUIRE(clock.jump());
    CHECK(clock.now() - doubted_at == 50ms);  // checks the lease again; a request would take longer
    run_all();
    CHECK(server.connections() == 1);

    renew();
    clock.advance(50ms);
    run_until([&] { return run.ended(); });
    CHECK(run.outcome().text == "42");
    CHECK(server.connections() == 2);
}
