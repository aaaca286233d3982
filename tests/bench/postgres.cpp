// Workload J: runs in PostgreSQL. One JSON line per figure.
//
//     weft_bench_postgres [one|many|claims|workers|restart]
//     weft_bench_postgres serve, weft_bench_postgres five_steps URL      for postgres_peers.py
#include "tests/bench/postgres.hpp"
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/postgres_store.hpp"
#include "tests/bench/counting.hpp"
#include <iostream>
#include <latch>
#include <thread>

using namespace weft;
using namespace weft::storage;

namespace bench {
namespace {
constexpr int cycles = 9;
}
// ---- steps ----------------------------------------------------------------------------------------------------------
void postgres_steps(Postgres& bench, std::size_t width) {
    bench.server.clear();
    PostgresStore store(bench.server.url());
    counts::Counting runs(store, width, bench.disk.slice());
    runs.rate();
    Slices slices(bench.disk, "J");
    for (int i = 0; i < cycles; ++i) slices.add([&] { return runs.rate(); });
    const auto who = width == 1 ? std::string("one run") : std::to_string(width) + " runs";
    slices.tell((who + ": steps / fdatasyncs of the bare disk").c_str());
}

// ---- claims ---------------------------------------------------------------------------------------------------------
namespace {
constexpr std::size_t claimers = 4, most_under_way = 10'000;

/// Puts runs into the queue before the time for claims is measured.
class Backlog {
public:
    explicit Backlog(const std::string& url) : store_(url) {}
    void fill(long count) {
        for (long left = count; left > 0; left -= long(most_under_way)) {
            const auto now = std::min(left, long(most_under_way));
            std::latch made(now);
            for (long i = 0; i < now; ++i) {
                NewRun run;
                run.id = "run " + std::to_string(next_++);
                run.plan = {"hash", "bench", "{}"};
                run.ticks = {{0, body_, chained_sum(0, 0, body_)}};
                store_.create(std::move(run), [&](std::exception_ptr error, CreateReply) {
                    require(!error, "J: a run that is put into the queue");
                    made.count_down();
                });
            }
            made.wait();
        }
    }

private:
    PostgresStore store_;
    const std::string body_ = std::string(512, 'x');
    long next_ = 0;
};
/// A worker that claims one run at a time, without further work.
class Claimer {
public:
    Claimer(const std::string& url, std::size_t number) : store_(url), owner_("worker " + std::to_string(number)) {
        const auto reply = answer_of<HeartbeatReply>([&](auto then) {
            store_.heartbeat({owner_, 3'600'000, ""}, std::move(then));
        });
        require(reply.alive, "J: a lease");
    }
    long claim_until(double end) {
        long got = 0;
        for (; now() < end; ++got) {
            ClaimRequest claim;
            claim.owner = owner_;
            claim.workflows = {"bench"};
            claim.hashes = {"hash"};
            claim.most = 1;
            const auto rows = answer_of<std::vector<RunRow>>(
                [&](auto then) { store_.claim(std::move(claim), std::move(then)); });
            require(rows.size() == 1, "J: a run to claim");
        }
        return got;
    }

private:
    PostgresStore store_;
    const std::string owner_;
};
}
void postgres_claims(Postgres& bench) {
    bench.server.clear();
    Backlog backlog(bench.server.url());
    std::vector<std::unique_ptr<Claimer>> all;
    for (std::size_t i = 0; i < claimers; ++i) all.push_back(std::make_unique<Claimer>(bench.server.url(), i));
    long waiting = 0, most = 10'000;
    const auto refill = [&] {
        backlog.fill(3 * most - waiting);
        waiting = 3 * most;
    };
    const auto rate = [&] {
        const double begin = now(), end = begin + bench.disk.slice();
        std::atomic<long> done = 0;
        std::vector<std::jthread> threads;
        for (auto& one : all) threads.emplace_back([&] { done += one->claim_until(end); });
        threads.clear();
        waiting -= done;
        most = std::max<long>(most, done);
        return double(done) / (now() - begin) * 1e9;
    };
    refill();
    rate();
    refill();
    Slices slices(bench.disk, "J");
    for (int i = 0; i < cycles; ++i) {
        slices.add(rate);
        refill();
    }
    slices.tell("4 workers: claims of one run / fdatasyncs of the bare disk");
}

// ---- for the comparison with peers ----------------------------------------------------------------------------------
namespace {
struct FiveEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(FiveEvent, (), ())
struct SumEvent {
    int value = 0;
};
BOOST_DESCRIBE_STRUCT(SumEvent, (), (value))
struct FivefoldEvent : StopEvent {
    int value = 0;
};
BOOST_DESCRIBE_STRUCT(FivefoldEvent, (), (value))
awaitable<SumEvent> add_first(Context&, FiveEvent) {
    const SumEvent sum{.value = 1};
    co_return sum;
}
awaitable<std::variant<SumEvent, FivefoldEvent>> add_one(Context&, SumEvent sum) {
    const int value = sum.value + 1;
    if (value == 5) {
        FivefoldEvent all;
        all.value = value;
        co_return all;
    }
    sum.value = value;
    co_return sum;
}
inline constexpr auto five_steps = workflow("five_steps", step<add_first>, step<add_one>);

awaitable<void> execute(Engine& engine, decltype(durable<>(five_steps)) stored, long& left) {
    while (left-- > 0) {
        FiveEvent event;
        auto run = engine.start(stored, std::move(event));
        const auto sum = co_await run.result();
        require(sum.value == 5, "J: five steps");
    }
}
}
int run_five_steps(const std::string& url) {
    PostgresStore store(url);
    Engine engine({.store = &store});
    const auto stored = durable<>(five_steps);
    std::cout << "ready" << std::endl;
    for (long width = 0, count = 0; std::cin >> width >> count;) {
        long left = count;  // used by the loop's thread only
        std::latch over(width);
        const double begin = now();
        for (long i = 0; i < width; ++i)
            spawn(engine.first_runtime(), execute(engine, stored, left), [&](std::exception_ptr error) {
                require(!error, "J: a run of five steps");
                over.count_down();
            });
        over.wait();
        std::cout << "{\"rate\": " << 5 * double(count) / (now() - begin) * 1e9 << "}" << std::endl;
    }
    return 0;
}
int serve_postgres() {
    static Postgres bench;  // static, so that exit() removes its folders, too
    std::cout << bench.server.url() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {}
    return 0;
}
}

int main(int n, char** v) {
    const std::string part = n > 1 ? v[1] : "";
    if (part == "serve") return bench::serve_postgres();
    if (part == "five_steps" && n > 2) return bench::run_five_steps(v[2]);
    try {
        static bench::Postgres postgres;
        const auto wants = [&](const char* name) { return part.empty() || part == name; };
        if (wants("one")) bench::postgres_steps(postgres, 1);
        if (wants("many")) bench::postgres_steps(postgres, 64);
        if (wants("claims")) bench::postgres_claims(postgres);
        if (wants("workers")) bench::postgres_workers(postgres);
        if (wants("restart")) bench::postgres_restart(postgres);
    } catch (const std::exception& error) {
        std::cerr << "wrong: " << error.what() << '\n';
        return 1;
    }
}
