// Workload J, workers: the throughput of two and four workers compared with one, and the time until all runs execute
// again after a kill of the server. Each worker has its own engine and store, as in its own process.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/timeout.hpp"
#include "tests/bench/postgres.hpp"
#include "workflows/worker/worker.hpp"
#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>

using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;

namespace bench {
namespace {
constexpr auto turn_of_model = 200ms;
constexpr std::size_t slots = 50;
constexpr int turns_of_run = 5, rounds_of_workers = 3, restarts = 5;

// ---- agents that use a slow model -----------------------------------------------------------------------------------
struct QuestionEvent : StartEvent {
    long run = 0, turns = 0;
};
BOOST_DESCRIBE_STRUCT(QuestionEvent, (), (run, turns))
struct TurnEvent {
    long run = 0, left = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TurnEvent, (), (run, left, text))
struct ReplyEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(ReplyEvent, (), ())

struct Model {  // a resource, shared by all workers
    std::atomic<long> at_work = 0, turns = 0;
    void begin(long run) {
        std::lock_guard lock(mutex_);
        begun_[run] = now();
    }
    /// Returns the number of runs that have begun a turn since `time`.
    std::size_t begun_since(double time) {
        std::lock_guard lock(mutex_);
        return std::size_t(std::ranges::count_if(begun_, [time](auto& each) { return each.second > time; }));
    }

private:
    std::mutex mutex_;
    std::unordered_map<long, double> begun_;
};
struct AtWork {  // counts a pending request to the model
    explicit AtWork(Model& m) : model(m) { ++model.at_work; }
    ~AtWork() { --model.at_work; }
    AtWork(const AtWork&) = delete;
    Model& model;
};
TurnEvent begin_to_ask(Context&, QuestionEvent question) {
    return {question.run, question.turns, std::string(390, 'x')};
}
awaitable<std::variant<TurnEvent, ReplyEvent>> ask_model(Context&, TurnEvent turn, Model& model) {
    const AtWork at_work(model);
    model.begin(turn.run);
    co_await sleep_for(turn_of_model);
    ++model.turns;
    if (--turn.left == 0) co_return ReplyEvent{};
    co_return std::move(turn);
}
inline constexpr auto talk = workflow("talk", step<begin_to_ask>, step<ask_model>);
using StoredTalk = decltype(durable<>(talk.with(std::declval<Model&>())));

class OneWorker {
public:
    OneWorker(const std::string& url, const StoredTalk& stored, std::chrono::milliseconds lease)
        : worker_({.slots = slots,
                   .queues = {},
                   .note =
                       [](std::string_view text) {
                           std::fprintf(stderr, "%.6f %.*s\n", now() / 1e9, int(text.size()), text.data());
                       }}),
          store_(url),
          engine_({.store = &store_, .park = true, .lease = lease, .tells = [this] { return worker_.tell(); }}) {
        const auto resume = [this, stored](const RunRow& row, const RunOptions& options) {
            (void)engine_.resume(stored, row.id, options);
            return std::shared_ptr<void>();
        };
        worker_.offer({{std::string(stored.definition->name), stored.definition->durable->hash, resume}});
        thread_ = std::thread([this] { worker_.work(engine_, store_); });
    }
    ~OneWorker() {
        worker_.stop();
        thread_.join();
        engine_.leave_all(2s);
        worker_.finish();
    }

private:
    worker::Worker worker_;
    PostgresStore store_;
    Engine engine_;
    std::thread thread_;
};
using Workers = std::vector<std::unique_ptr<OneWorker>>;

/// Questions that wait in the queue, as after `weft run --detach`.
class Questions {
public:
    Questions(const std::string& url, const StoredTalk& stored)
        : stored_(stored), store_(url), engine_({.store = &store_}) {}
    void put(long count, long turns) {
        std::vector<RunOf<talk>> all;
        for (long i = 0; i < count; ++i) {
            QuestionEvent question;
            question.run = next_++;
            question.turns = turns;
            all.push_back(engine_.start(stored_, std::move(question), {.detached = true}));
        }
        for (auto& run : all) try {
                engine_.wait(run.result());
            } catch (const RunError& error) { require(error.code() == Code::cancelled, "J: a question"); }
    }

private:
    const StoredTalk& stored_;
    PostgresStore store_;
    Engine engine_;
    long next_ = 0;
};
template <class Done> void wait_until(const char* what, Done done) {
    const double begin = now();
    while (!done()) {
        if (now() > begin + 60e9) throw std::runtime_error(std::string("these did not come in a minute: ") + what);
        std::this_thread::sleep_for(1ms);
    }
}
Workers make_workers(Postgres& bench, const StoredTalk& stored, std::size_t count, std::chrono::milliseconds lease) {
    Workers workers;
    for (std::size_t i = 0; i < count; ++i)
        workers.push_back(std::make_unique<OneWorker>(bench.server.url(), stored, lease));
    return workers;
}
void stop_workers(Workers& workers) {  // in parallel, because each waits for its turns
    std::vector<std::jthread> threads;
    for (auto& worker : workers) threads.emplace_back([&worker] { worker.reset(); });
}

// ---- several workers ------------------------------------------------------------------------------------------------
double turns_by(Postgres& bench, Questions& questions, const StoredTalk& stored, Model& model, std::size_t count) {
    const double time = 3e9;
    const double seconds = time / 1e9 + 4;
    questions.put(long(double(count * slots) * seconds / (0.2 * turns_of_run)), turns_of_run);
    auto workers = make_workers(bench, stored, count, 10s);
    wait_until("workers that fill their slots", [&] { return model.at_work > long(count * slots * 9 / 10); });
    std::this_thread::sleep_for(1s);  // spreads the moments of their turns
    const auto before = model.turns.load();
    const double begin = now();
    std::this_thread::sleep_for(std::chrono::nanoseconds(long(time)));
    const double rate = double(model.turns - before) / (now() - begin) * 1e9;
    stop_workers(workers);
    return rate;
}
}
void postgres_workers(Postgres& bench) {
    bench.server.clear();
    Model model;
    const auto stored = durable<>(talk.with(model));
    Questions questions(bench.server.url(), stored);
    std::vector<double> of_one, of_two, of_four;
    for (int i = 0; i < rounds_of_workers; ++i) {
        const auto rate = [&](std::size_t count) { return turns_by(bench, questions, stored, model, count); };
        const double one = rate(1), two = rate(2), four = rate(4);
        of_one.push_back(one / (double(slots) / 0.2));
        of_two.push_back(two / one);
        of_four.push_back(four / one);
    }
    out("ratio", "J", "1 worker of 50 slots, a model of 200 ms: turns / what 50 slots can", pct(of_one, .5), "x");
    out("ratio", "J", "2 workers: turns / those of one", pct(of_two, .5), "x");
    out("ratio", "J", "4 workers: turns / those of one", pct(of_four, .5), "x");
}

// ---- a killed server ------------------------------------------------------------------------------------------------
namespace {
void restart(Postgres& bench, std::chrono::milliseconds lease, std::chrono::milliseconds away, const char* metric) {
    constexpr std::size_t count = 4, runs = count * slots;
    bench.server.clear();
    Model model;
    const auto stored = durable<>(talk.with(model));
    Questions(bench.server.url(), stored).put(long(runs), 1'000'000);
    auto workers = make_workers(bench, stored, count, lease);
    wait_until("runs at work", [&] { return model.begun_since(0) == runs; });
    std::vector<double> times;
    for (int i = 0; i < restarts; ++i) {
        std::this_thread::sleep_for(1s);
        bench.server.kill();
        std::this_thread::sleep_for(away);
        bench.server.start();
        const double back = now();
        wait_until("runs at work again", [&] { return model.begun_since(back) == runs; });
        times.push_back((now() - back) / 1e9);
    }
    stop_workers(workers);
    out("weft", "J", metric, pct(times, 1), "s");
}
}
void postgres_restart(Postgres& bench) {
    restart(bench, 10s, 2s, "server back after 2 s: all 200 runs at work, longest of 5 times");
    restart(bench, 2s, 5s, "server back after 5 s, leases of 2 s are over: all 200 runs at work, longest of 5 times");
}
}
