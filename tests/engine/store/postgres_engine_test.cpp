// An engine with its runs in PostgreSQL.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#ifdef WEFT_POSTGRES_POOLER
#include "tests/support/postgres_pooler.hpp"
#endif
#include <doctest/doctest.h>

using namespace stores;

namespace {
struct OrderEvent : StartEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (number))
struct PartEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(PartEvent, (), (number))
struct MayEvent : InputRequiredEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(MayEvent, (), (number))
struct YesEvent : Answers<MayEvent> {
    bool yes = false;
};
BOOST_DESCRIBE_STRUCT(YesEvent, (), (yes))
struct DoneEvent : StopEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), (number))

std::vector<PartEvent> split_order(Context&, OrderEvent order) { return {{order.number}, {order.number}}; }
struct Total {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(Total, (), (number))
MayEvent ask_with_total(Context& ctx, std::vector<PartEvent> parts) {
    const int total = parts[0].number + parts[1].number;
    ctx.edit<Total>([&](Total& slot) { slot.number = total; });
    return {.number = total};
}
DoneEvent end_with_total(Context& ctx, YesEvent) { return {.number = ctx.get<Total>().number}; }
inline constexpr auto order_work = workflow("order_work", step<split_order>, step<ask_with_total>,
                                            step<end_with_total>);
const auto stored_orders = durable<Total>(order_work);

awaitable<int> asked_number(RunOf<order_work> run) {
    while (auto event = co_await run.next_event())
        if (auto* ask = event->get_if<MayEvent>()) co_return ask->number;
    co_return -1;
}

void leave_and_go_on(const std::string& url) {
    const int runs = 20;
    {
        PostgresStore store(url);
        Engine engine({.store = &store});
        std::vector<RunOf<order_work>> all;
        for (int i = 0; i < runs; ++i)
            all.push_back(engine.start(stored_orders, {.number = i}, {.id = "order " + std::to_string(i)}));
        for (int i = 0; i < runs; ++i) CHECK(engine.wait(asked_number(all[std::size_t(i)])) == 2 * i);
    }
    PostgresStore store(url);
    Engine engine({.store = &store});

    CHECK(engine.recover(stored_orders).size() == runs);
    for (int i = 0; i < runs; ++i) {
        auto run = engine.resume(stored_orders, "order " + std::to_string(i));
        CHECK(engine.wait(asked_number(run)) == 2 * i);
        run.send(YesEvent{.yes = true});
        CHECK(engine.wait(run.result()).number == 2 * i);
    }

    CHECK(stores::list(store, {.statuses = {RunStatus::done}}).size() == runs);
    CHECK(row(store, "order 7").outcome.find("14") != std::string::npos);
}
}
TEST_CASE("runs left by one engine in a database continue in another engine, each to its own end") {
    PostgresServer::shared().clear();
    leave_and_go_on(PostgresServer::shared().url());
}
#ifdef WEFT_POSTGRES_POOLER
TEST_CASE("runs left by one engine continue in another engine, also behind a pooler") {
    PostgresServer::shared().clear();
    leave_and_go_on(PostgresPooler::shared().url());
}
#endif
