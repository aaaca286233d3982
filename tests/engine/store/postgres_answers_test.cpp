// The thread that takes the answers of a PostgresStore to its calls.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/socket_proxy.hpp"
#include <doctest/doctest.h>
#include <future>

using namespace stores;

namespace {
struct ReportEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(ReportEvent, (), ())
struct PageEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(PageEvent, (), (left))
struct PrintedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(PrintedEvent, (), ())

struct Printer {  // a resource
    std::promise<void> begins, may_end;
    std::future<void> end = may_end.get_future();
};
PageEvent open_report(Context&, ReportEvent) { return {.left = 20}; }
PrintedEvent print_slowly(Context&, PageEvent, Printer& printer) {
    printer.begins.set_value();
    CHECK(printer.end.wait_for(test::limit) == std::future_status::ready);
    return {};
}
std::variant<PageEvent, PrintedEvent> print(Context&, PageEvent page) {
    if (page.left == 0) return PrintedEvent{};
    return PageEvent{.left = page.left - 1};
}
// The tick of a repeatable step is under way when the next step begins.
inline constexpr auto slow_report = workflow("slow_report", step<open_report>.repeatable(), step<print_slowly>);
inline constexpr auto quick_report = workflow("quick_report", step<open_report>, step<print>);
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("a loop stores its ticks when another loop, which awaits an answer, is busy") {
    PostgresServer::shared().clear();
    PostgresStore store(PostgresServer::shared().url());
    Printer printer;
    Engine busy({.store = &store}), other({.store = &store});
    auto slow = busy.start(durable<>(slow_report.with(printer)), {});
    printer.begins.get_future().wait();

    auto quick = other.start(durable<>(quick_report), {});
    other.wait(quick.result());

    CHECK(row(store, quick.id()).status == RunStatus::done);
    printer.may_end.set_value();
    busy.wait(slow.result());
    CHECK(row(store, slow.id()).status == RunStatus::done);
}
TEST_CASE("a run stores all its ticks when the server cuts the connection whose answers its loop takes") {
    PostgresServer::shared().clear();
    SocketProxy proxy(PostgresServer::shared().socket());
    PostgresStore store("postgres://weft@/postgres?host=" + proxy.folder());
    Engine engine({.store = &store});
    for (int bytes = 0; bytes < 400; bytes += 40) {
        engine.wait(engine.start(durable<>(quick_report), {}).result());
        proxy.lose_after(bytes);

        auto run = engine.start(durable<>(quick_report), {});
        engine.wait(run.result());

        CHECK(load(store, run.id()).ticks.size() == 23);
    }
    CHECK(proxy.cuts() > 0);
}
TEST_SUITE_END();
