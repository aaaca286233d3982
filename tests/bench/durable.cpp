// Workload G: runs stored by SQLite with a sync for each commit.
#include "tests/bench/durable.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/sqlite/connection.hpp"
#include "engine/store/sqlite_store.hpp"
#include "engine/timeout.hpp"
#include "tests/bench/counting.hpp"
#include "tests/bench/slices.hpp"
#include <latch>
#include <malloc.h>
#include <sys/wait.h>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;

namespace {
using namespace counts;
/// An engine with its store in a file.
struct InFile {
    InFile(const std::string& file, std::size_t width, bool may_lose = false)
        : store(file, {.may_lose_the_last_moments_on_power_failure = may_lose}), runs(store, width, slice_ns) {}
    SqliteStore store;
    Counting runs;
};
constexpr int cycles = 9;

void one_run(const BenchFolder& folder, BareDisk& disk) {
    InFile file(folder.file("one.db"), 1);
    auto& run = file.runs;
    run.rate();
    Slices slices(disk);
    for (int i = 0; i < cycles; ++i) slices.add([&] { return run.rate(); });
    slices.tell("one run: steps / fdatasyncs of the bare disk");
}

// ---- many runs ------------------------------------------------------------------------------------------------------
constexpr std::size_t width = 64;
/// The minimal log of several runs in SQLite: a table in the order of arrival, an index by run.
class BareLog {
public:
    explicit BareLog(const std::string& file) : db_(made(file), 5000) {
        db_.execute("pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864;"
                    "create table log (number integer primary key, run text not null, seq integer not null, body text "
                    "not null) strict; create unique index log_of_run on log (run, seq);");
    }
    double rate() {
        const double begin = now();
        long done = 0;
        for (; now() < begin + slice_ns; ++seq_) {
            db_.execute("begin immediate");
            for (std::size_t i = 0; i < width; ++i, ++done)
                db_.run("insert into log (run, seq, body) values (?1, ?2, ?3)", names_[i], seq_, body_);
            db_.execute("commit");
            if (db_.pages_in_log() > 16'000) db_.checkpoint();
        }
        return double(done) / (now() - begin) * 1e9;
    }

private:
    static const std::string& made(const std::string& file) {
        ::close(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        return file;
    }
    storage::SqliteConnection db_;
    std::int64_t seq_ = 0;
    const std::string body_ = std::string(512, 'x');
    std::vector<std::string> names_ = [] {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < width; ++i) names.push_back("run-" + std::to_string(i));
        return names;
    }();
};
/// Several producers, each of which gives the store its next record when the last one is stored.
class Producers {
public:
    explicit Producers(const std::string& file) : store_(file) {
        std::latch made(width);
        for (std::size_t i = 0; i < width; ++i) {
            NewRun run;
            run.id = "run-" + std::to_string(i);
            run.plan = {"hash", "bench", "{}"};
            run.owner = "bench";
            store_.create(std::move(run), [&](std::exception_ptr error, CreateReply) {
                require(!error, "G: a run of a producer");
                made.count_down();
            });
        }
        made.wait();
    }
    double rate() {
        const double begin = now();
        until_ = begin + slice_ns;
        done_ = 0;
        std::latch over(width);
        for (std::size_t i = 0; i < width; ++i) produce(i, over);
        over.wait();
        return double(done_) / (now() - begin) * 1e9;
    }

private:
    struct Producer {
        std::uint64_t seq = 0, sum = 0;
    };
    void produce(std::size_t i, std::latch& over) {  // the first call on the caller's thread, others on the store's
        auto& p = producers_[i];
        p.sum = chained_sum(p.sum, p.seq, body_);
        Batch batch;
        batch.run = "run-" + std::to_string(i);
        batch.epoch = 1;
        batch.seq = p.seq;
        batch.ticks.push_back({p.seq++, body_, p.sum});
        store_.append(std::move(batch), [this, i, &over](std::exception_ptr error, AppendReply appended) {
            require(!error && appended == AppendReply::stored, "G: a record of a producer");
            ++done_;
            if (now() < until_) produce(i, over);
            else over.count_down();
        });
    }
    const std::string body_ = std::string(512, 'x');
    Producer producers_[width];
    std::atomic<long> done_ = 0;
    double until_ = 0;
    SqliteStore store_;  // last, so that its thread ends before other members are destroyed
};
void many_runs(const BenchFolder& folder, BareDisk& disk) {
    InFile file(folder.file("many.db"), width);
    BareLog log(folder.file("log.db"));
    Producers producers(folder.file("producers.db"));
    const auto ours = [&] { return file.runs.rate(); };
    ours(), log.rate(), producers.rate();
    Slices to_disk(disk), to_log(disk), to_producers(disk);
    for (int i = 0; i < cycles; ++i) {
        to_disk.add(ours);
        to_log.add(ours, [&] { return log.rate(); });
        to_producers.add(ours, [&] { return producers.rate(); });
    }
    to_disk.tell("64 runs: steps / fdatasyncs of the bare disk");
    to_log.tell("64 runs: steps / records of a bare SQLite log, 64 a commit");
    to_producers.tell("64 runs: steps / records of 64 producers through SqliteStore");
}

// ---- a long run -----------------------------------------------------------------------------------------------------
void long_run(const BenchFolder& folder) {  // without syncs, which would hide growth
    const long steps = 500, late = 10'000;
    InFile file(folder.file("long.db"), 1, true);
    auto& runs = file.runs;
    runs.time_of(0, late);
    std::vector<double> ratios;
    for (std::size_t i = 1; i <= 2 * cycles; ++i) {
        runs.start();
        runs.time_of(i, 10);
        const double early = runs.time_of(i, steps);
        ratios.push_back(runs.time_of(0, steps) / early);
    }
    out("ratio", "G", "step 10 000 of a run / step 10", pct(ratios, .5), "x");
}

// ---- interrupted runs -----------------------------------------------------------------------------------------------
struct JobEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(JobEvent, (), ())
struct WorkEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(WorkEvent, (), (text))
struct WorkedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(WorkedEvent, (), ())
struct Begun {  // a resource: working steps
    long wanted = 0, count = 0;
    double first = 0, last = 0;
    std::latch all{1};
};
WorkEvent prepare(Context&, JobEvent) { return {std::string(390, 'x')}; }
awaitable<WorkedEvent> work(Context&, WorkEvent, Begun& begun) {
    begun.last = now();
    if (begun.count++ == 0) begun.first = begun.last;
    if (begun.count == begun.wanted) begun.all.count_down();
    co_await sleep_for(24h);
    co_return WorkedEvent{};
}
inline constexpr auto job = workflow("job", step<prepare>, step<work>);

void interrupted_runs(const BenchFolder& folder) {
    const long n = 10'000;
    const auto file = folder.file("interrupted.db");
    std::fflush(stdout);
    const auto process = fork();
    require(process >= 0, "fork");
    if (process == 0) {
        Begun begun{.wanted = n};
        SqliteStore store(file, {.may_lose_the_last_moments_on_power_failure = true});
        Engine engine({.store = &store});
        for (long i = 0; i < n; ++i) engine.start(durable<>(job.with(begun)), {});
        begun.all.wait();
        _exit(0);  // like a kill: no destructor runs
    }
    int status = 0;
    require(waitpid(process, &status, 0) == process && status == 0, "G: the process that is interrupted");
    Begun begun{.wanted = n};
    const double begin = now();
    SqliteStore store(file);
    const double opened = now();
    Engine engine({.store = &store});
    require(long(engine.recover(durable<>(job.with(begun))).size()) == n, "G: runs that are recovered");
    begun.all.wait();
    out("weft", "G", "10000 interrupted runs: the store is open", (opened - begin) / 1e9, "s");
    out("weft", "G", "10000 interrupted runs: first step begun", (begun.first - begin) / 1e9, "s");
    out("weft", "G", "10000 interrupted runs: last step begun", (begun.last - begin) / 1e9, "s");
}

// ---- memory ---------------------------------------------------------------------------------------------------------
double in_use() {
    const auto all = mallinfo2();
    return double(all.uordblks + all.hblkhd);
}
void idle_runs(const BenchFolder& folder) {
    const long n = 10'000;
    Counter counter;
    SqliteStore store(folder.file("idle.db"), {.may_lose_the_last_moments_on_power_failure = true});
    Engine engine({.store = &store});
    auto stored = durable<>(counting.with(counter));
    std::vector<RunOf<counting>> runs;
    runs.reserve(n);
    const auto start = [&](long count) {
        const auto first = runs.size();
        for (long i = 0; i < count; ++i) runs.push_back(engine.start(stored, {}));
        for (auto i = first; i < runs.size(); ++i) require(engine.wait(runs[i].next_event()).has_value(), "G: idle");
    };
    const auto leave = [&](std::size_t from) {
        for (auto i = from; i < runs.size(); ++i) runs[i].leave();
        for (auto i = from; i < runs.size(); ++i)
            while (!runs[i].ended()) std::this_thread::yield();
    };
    const auto settle = [&] {  // until the loop has all answers of the store
        answer_of<std::vector<RunRow>>([&](auto then) { store.list({.most = 1}, std::move(then)); });
        engine.wait([]() -> awaitable<void> { co_return; }());
    };
    start(n / 20), leave(0);  // fills the caches of store and loop
    runs.clear();
    settle();
    const double before = in_use();
    start(n), settle();
    out("weft", "G", "idle run, memory", (in_use() - before) / double(n), "B");
    leave(0), settle();
    out("weft", "G", "run that has left memory, with its handle", (in_use() - before) / double(n), "B");
    const auto forget = [&] {
        runs.clear();
        settle();
    };
    forget();  // the rest in use is kept for further runs, up to a bound
    const double kept = in_use();
    start(n), leave(0), forget();
    out("weft", "G", "run that has left memory", (in_use() - kept) / double(n), "B");
}
}
void durable_runs(std::string_view part, long size) {
    const auto wants = [&](std::string_view name) { return part.empty() || part == name; };
    const BenchFolder folder;
    if (part == "steps") {
        const double took = InFile(folder.file("steps.db"), 1).runs.time_of(0, size);
        return out("weft", "G", "stored step", took / double(size) / 1e3, "us");
    }
    BareDisk disk(folder);
    if (wants("interrupted")) interrupted_runs(folder);  // first, because it forks
    if (wants("one")) one_run(folder, disk);
    if (wants("many")) many_runs(folder, disk);
    if (wants("long")) long_run(folder);
    if (wants("react")) durable_react();
    if (wants("idle")) idle_runs(folder);
}
