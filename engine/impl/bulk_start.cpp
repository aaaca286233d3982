// A loop of its own makes the first tick of each run. Its store only keeps the runs for the engine's store.
#include "engine/engine.hpp"
#include "engine/impl/engine_parts.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store.hpp"

namespace weft {
using namespace storage;
namespace {
constexpr std::size_t most_bytes_at_once = 16 << 20;

/// Detached runs call create() only.
class NewRunCollector final : public Store {
public:
    explicit NewRunCollector(const Store& store) : for_store(store) {}
    void create(NewRun run, Then<CreateReply> then) override {
        const auto id = run.id;
        bytes += run.options.size();
        for (auto& tick : run.ticks) bytes += tick.body.size();
        runs.push_back(std::move(run));
        then(nullptr, {id, true});
    }
    void append(Batch, Then<AppendReply> then) override { refuse(then); }
    void load(std::string, Then<History> then, std::uint64_t) override { refuse(then); }
    void write_log(LogEntries, Then<LogReply> then) override { refuse(then); }
    void read_log(std::string, std::uint64_t, std::size_t, Then<LogPart> then, std::size_t) override { refuse(then); }
    void plan(std::string, Then<StoredPlan> then) override { refuse(then); }
    void send(Mail, Then<SendReply> then) override { refuse(then); }
    void claim(ClaimRequest, Then<std::vector<RunRow>> then) override { refuse(then); }
    void heartbeat(Heartbeat, Then<HeartbeatReply> then) override { refuse(then); }
    void list(Filter, Then<std::vector<RunRow>> then) override { refuse(then); }
    void survey(Then<Survey> then) override { refuse(then); }
    void prune(Filter, Then<std::uint64_t> then) override { refuse(then); }
    std::size_t shard_of(std::string_view run) const override { return for_store.shard_of(run); }
    const Store& for_store;
    std::vector<NewRun> runs;
    std::size_t bytes = 0;  // of their ticks and options

private:
    template <class T> static void refuse(const Then<T>& then) {
        then(std::make_exception_ptr(Error(Code::usage, "a run that is only enqueued calls no store")), T{});
    }
};
}
struct core::BulkStart::State {
    explicit State(Engine::Parts& p)
        : store(*p.options.store),
          collector(store),
          loop(Runtime{io.get_executor(), p.clock}, {.store = &collector, .lease = p.hearts.front()->shard->lease}) {}
    void flush() {
        if (collector.runs.empty()) return;
        auto replies = answer_of<std::vector<CreateReply>>(
            [&](auto then) { store.create_all(std::exchange(collector.runs, {}), std::move(then)); });
        collector.bytes = 0;
        for (auto& reply : replies) made.push_back({std::move(reply.id), reply.is_new});
    }
    void flush_debounced() {
        auto last = std::move(collector.runs.back());
        collector.runs.pop_back();
        flush();
        const auto reply = answer_of<CreateReply>([&](auto then) { store.create(std::move(last), std::move(then)); });
        made.push_back({reply.id, reply.is_new});
    }
    Store& store;
    NewRunCollector collector;
    asio::io_context io{1};
    Loop loop;
    std::vector<EnqueuedRun> made;
};
core::BulkStart::BulkStart(Engine& engine) {
    engine.check_wait();
    if (!engine.parts_->options.store)
        throw Error(Code::usage, "an engine without a store cannot enqueue runs: give it a store");
    state_ = std::make_unique<State>(*engine.parts_);
}
core::BulkStart::~BulkStart() = default;
Loop& core::BulkStart::loop() { return state_->loop; }
void core::BulkStart::add(awaitable<void> until_stored) {
    auto& s = *state_;
    const auto error = std::make_shared<std::exception_ptr>(
        std::make_exception_ptr(Error(Code::journal, "a run was not made: report this as a bug of weft")));
    spawn(s.loop.runtime(), std::move(until_stored), [error](std::exception_ptr e) { *error = e; });
    s.io.restart();
    s.io.poll();
    if (*error) std::rethrow_exception(*error);
    if (!s.collector.runs.empty() && !s.collector.runs.back().debounce.empty()) s.flush_debounced();
    if (s.collector.runs.size() >= most_new_runs || s.collector.bytes >= most_bytes_at_once) s.flush();
}
std::vector<EnqueuedRun> core::BulkStart::stored() { return std::exchange(state_->made, {}); }
std::vector<EnqueuedRun> core::BulkStart::finish() {
    state_->flush();
    return stored();
}
}
