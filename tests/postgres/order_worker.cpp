// A worker process of orders for tests that kill it: like `weft worker`, but its clock may have a wrong date, and it
// has one of several declarations of the workflow. Other commands store orders, and answer their questions with yes.
//
//     order_worker work url=postgres://... effects=FILE build=usual queues=default slots=50 lease_ms=1000 shift_s=0
//     order_worker work ... gate=FILE                                           # packing ends when the file exists
//     order_worker put url=postgres://... build=usual queue=default name=a count=20 work_ms=50 asks=1
//     order_worker put url=postgres://... queues=p count=3                      # in the queues p0, p1 and p2
//     order_worker clerk url=postgres://...
#include "engine/engine.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/postgres_store.hpp"
#include "tests/postgres/orders.hpp"
#include "workflows/worker/worker.hpp"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;

namespace {
using Words = std::map<std::string, std::string>;
std::string word(const Words& words, const std::string& name, const std::string& otherwise) {
    const auto at = words.find(name);
    return at == words.end() ? otherwise : at->second;
}
long number(const Words& words, const std::string& name, long otherwise) {
    return std::stol(word(words, name, std::to_string(otherwise)));
}
void say(const std::string& text) {
    const auto line = text + '\n';
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}
/// The machine's clock with a shifted date.
class Shifted final : public Clock {
public:
    explicit Shifted(std::chrono::seconds shift) : shift_(shift) {}
    Time now() const override { return real_clock().now(); }
    WallTime wall() const override { return real_clock().wall() + shift_; }
    Duration since_boot() const override { return real_clock().since_boot(); }
    std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor& executor, std::function<void()> ring,
                                      std::function<void()> lost) override {
        return real_clock().make_alarm(executor, std::move(ring), std::move(lost));
    }

private:
    const std::chrono::seconds shift_;
};
/// Calls a function at the first signal, on a thread that waits for signals: main blocks them in all other threads.
class Ending {
public:
    explicit Ending(std::function<void()> end) {
        sigset_t all = signals();
        thread_ = std::thread([all, end = std::move(end)] {
            int signal = 0;
            ::sigwait(&all, &signal);
            end();
            if (::sigwait(&all, &signal) == 0) ::_exit(8);
        });
        thread_.detach();
    }
    static sigset_t signals() {
        sigset_t all;
        ::sigemptyset(&all);
        ::sigaddset(&all, SIGTERM);
        ::sigaddset(&all, SIGINT);
        return all;
    }

private:
    std::thread thread_;
};

int work(const Words& words) {
    const int effects = ::open(word(words, "effects", "").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (effects < 0) throw std::runtime_error("no file for effects");
    Shifted clock(std::chrono::seconds(number(words, "shift_s", 0)));
    const auto build = word(words, "build", "usual"), gate = word(words, "gate", "");
    worker::WorkerOptions options;
    options.slots = std::size_t(number(words, "slots", 50));
    if (const auto queue = word(words, "queues", ""); !queue.empty()) options.queues = {queue};
    options.note = [](std::string_view text) { std::fprintf(stderr, "order_worker: %s\n", std::string(text).c_str()); };
    worker::Worker worker(std::move(options));
    PostgresStore store(word(words, "url", ""));
    Engine engine({.store = &store,
                   .park = true,
                   .lease = std::chrono::milliseconds(number(words, "lease_ms", 1000)),
                   .tells = [&worker] { return worker.tell(); },
                   .clock = &clock});
    chaos::Desk nobodys(effects, 0);
    const auto hash = chaos::with_orders(
        build, nobodys, [](const auto& orders) { return std::string(orders.definition->durable->hash); });
    worker.offer({{"order", hash, [&](const RunRow& row, const RunOptions& how) {
                       const auto desk = std::make_shared<chaos::Desk>(effects, row.epoch, gate);
                       chaos::with_orders(build, *desk,
                                          [&](const auto& orders) { (void)engine.resume(orders, row.id, how); });
                       return std::shared_ptr<void>(desk);
                   }}});
    const Ending ending([&worker] { worker.stop(); });
    say("working as " + worker.info().process);
    worker.work(engine, store);
    engine.leave_all(7s);
    worker.finish();
    return 0;
}
int put(const Words& words) {
    PostgresStore store(word(words, "url", ""));
    Engine engine({.store = &store});
    chaos::Desk nobodys(-1, 0);
    chaos::OrderEvent order;
    order.work_ms = int(number(words, "work_ms", 50));
    order.asks = number(words, "asks", 0) != 0;
    RunOptions how;
    how.detached = true;
    how.queue = word(words, "queue", "default");
    if (const auto timeout = number(words, "timeout_s", 0); timeout > 0) how.timeout = std::chrono::seconds(timeout);
    chaos::with_orders(word(words, "build", "usual"), nobodys, [&](const auto& orders) {
        std::vector<decltype(engine.start(orders, order, how))> runs;
        for (long i = 0; i < number(words, "count", 1); ++i) {
            how.id = word(words, "name", "order") + '-' + std::to_string(i);
            if (const auto queues = word(words, "queues", ""); !queues.empty()) how.queue = queues + std::to_string(i);
            runs.push_back(engine.start(orders, order, how));
        }
        for (auto& run : runs) {
            engine.wait(run.until_stored());
            say(run.id());
        }
    });
    return 0;
}
/// The answer to a run always has the same id, so that a repeated answer counts once.
int say_yes(const Words& words) {
    PostgresStore store(word(words, "url", ""));
    std::atomic<bool> ends = false;
    const Ending ending([&ends] { ends = true; });
    say("at the desk");
    while (!ends) {
        try {
            Filter filter;
            filter.workflows = {"order"};
            filter.statuses = {RunStatus::waiting, RunStatus::running};
            const auto rows = answer_of<std::vector<RunRow>>([&](auto then) { store.list(filter, std::move(then)); });
            for (auto& row : rows)
                if (row.waits_for.find("MayIPayEvent") != std::string::npos)
                    answer_of<SendReply>([&](auto then) {
                        store.send({row.id, "yes", R"({"event": "YesEvent", "data": {}})"}, std::move(then));
                    });
        } catch (const Error& error) { std::fprintf(stderr, "order_worker: %s\n", error.what()); }
        std::this_thread::sleep_for(100ms);
    }
    return 0;
}
}
int main(int count, char** given) {
    const auto signals = Ending::signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    Words words;
    for (int i = 2; i < count; ++i) {
        const std::string text = given[i];
        const auto at = text.find('=');
        if (at != text.npos) words[text.substr(0, at)] = text.substr(at + 1);
    }
    try {
        const std::string what = count > 1 ? given[1] : "";
        if (what == "work") return work(words);
        if (what == "put") return put(words);
        if (what == "clerk") return say_yes(words);
        std::fprintf(stderr, "order_worker: work, put or clerk\n");
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "order_worker: %s\n", error.what());
        return 1;
    }
}
