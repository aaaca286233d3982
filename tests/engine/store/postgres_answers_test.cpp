// The thread that takes an answer, and the bytes of an answer.
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
struct LastPageEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(LastPageEvent, (), (left))
struct PaperEvent {
    int sheets = 0;
};
BOOST_DESCRIBE_STRUCT(PaperEvent, (), (sheets))
struct PrintedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(PrintedEvent, (), ())

struct Printer {  // a resource
    std::promise<void> begins, may_end;
    std::future<void> end = may_end.get_future();
};
PageEvent open_report(Context&, ReportEvent) { return {.left = 20}; }
std::variant<PageEvent, LastPageEvent> read_pages(Context&, PageEvent page) {
    if (page.left == 0) return LastPageEvent{};
    return PageEvent{.left = page.left - 1};
}
PaperEvent count_sheets(Context&, LastPageEvent) { return {.sheets = 20}; }
PrintedEvent print_slowly(Context&, PaperEvent, Printer& printer) {
    printer.begins.set_value();
    CHECK(printer.end.wait_for(test::limit) == std::future_status::ready);
    return {};
}
std::variant<PageEvent, PrintedEvent> print(Context&, PageEvent page) {
    if (page.left == 0) return PrintedEvent{};
    return PageEvent{.left = page.left - 1};
}
// The first ticks make the loop take the answers. The repeatable step's tick is under way when the next step begins.
inline constexpr auto slow_report = workflow("slow_report", step<open_report>, step<read_pages>,
                                             step<count_sheets>.repeatable(), step<print_slowly>);
inline constexpr auto quick_report = workflow("quick_report", step<open_report>, step<print>);

Batch long_ticks(Store& store, const std::string& run) {
    return batch_of(store, run, std::vector<std::string>(10, std::string(1 << 20, 'x')));
}
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
TEST_CASE("claims, restarts and mail load a small part of a run when it has a snapshot after ten megabytes") {
    PostgresServer::shared().clear();
    SocketProxy proxy(PostgresServer::shared().socket());
    PostgresStore store("postgres://weft@/postgres?host=" + proxy.folder());
    create(store, run_of("r1"));
    auto batch = long_ticks(store, "r1");
    batch.snapshot = {.upto = 11, .body = "all", .sum = chained_sum(0, 11, "all")};
    batch.left = left(RunStatus::ready);
    REQUIRE(append(store, batch) == AppendReply::stored);
    send(store, "r1", "m1", "hello");
    const auto bytes_of = [&](auto call) {
        const auto before = proxy.passed();
        call();
        return proxy.passed() - before;
    };

    CHECK(bytes_of([&] { CHECK(claim(store, {.owner = "bob"}).size() == 1); }) < 10'000);
    CHECK(bytes_of([&] { CHECK(load_mail(store, "r1").at(0).body == "hello"); }) < 1'000);
    const auto restart = bytes_of([&] { CHECK(load(store, "r1", ~std::uint64_t{0}).ticks.empty()); });
    CHECK(restart < (2 << 20));  // the last tick, whose sum the next one continues
}
TEST_CASE("mail is loaded without the ticks after the snapshot when a run has many of them") {
    PostgresServer::shared().clear();
    SocketProxy proxy(PostgresServer::shared().socket());
    PostgresStore store("postgres://weft@/postgres?host=" + proxy.folder());
    create(store, run_of("r1"));
    append(store, long_ticks(store, "r1"));
    send(store, "r1", "m1", "hello");

    const auto before = proxy.passed();
    const auto mail = load_mail(store, "r1");

    CHECK(mail.at(0).id == "m1");
    CHECK(proxy.passed() - before < 1'000);
}
