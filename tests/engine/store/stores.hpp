// Helpers for tests of stores: calls that wait for their answers, runs and batches to store, a temporary folder.
#pragma once
#include "engine/error.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store.hpp"
#include "engine/store/memory_store.hpp"
#include "tests/support/memory_folder.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <unistd.h>

namespace stores {
using namespace weft;
using namespace weft::storage;

inline storage::CreateReply create(Store& s, storage::NewRun run) {
    return answer_of<storage::CreateReply>([&](auto then) { s.create(std::move(run), then); });
}
inline storage::AppendReply append(Store& s, storage::Batch batch) {
    return answer_of<storage::AppendReply>([&](auto then) { s.append(std::move(batch), then); });
}
inline storage::History load(Store& s, const std::string& run, std::uint64_t from = 0) {
    return answer_of<storage::History>([&](auto then) { s.load(run, then, from); });
}
inline std::vector<storage::Mail> load_mail(Store& s, const std::string& run) {
    return answer_of<std::vector<storage::Mail>>([&](auto then) { s.load_mail(run, then); });
}
inline storage::LogReply write_log(Store& s, storage::LogEntries entries) {
    return answer_of<storage::LogReply>([&](auto then) { s.write_log(std::move(entries), then); });
}
inline storage::LogPart read_log(Store& s, const std::string& run, std::uint64_t from = 0, std::size_t most = 10'000) {
    return answer_of<storage::LogPart>([&](auto then) { s.read_log(run, from, most, then); });
}
inline storage::StoredPlan plan(Store& s, const std::string& hash) {
    return answer_of<storage::StoredPlan>([&](auto then) { s.plan(hash, then); });
}
inline storage::SendReply send(Store& s, const std::string& run, const std::string& id,
                               const std::string& body = "{}") {
    return answer_of<storage::SendReply>([&](auto then) { s.send({run, id, body}, then); });
}
inline std::vector<storage::RunRow> claim(Store& s, storage::ClaimRequest claim) {
    return answer_of<std::vector<storage::RunRow>>([&](auto then) { s.claim(std::move(claim), then); });
}
inline storage::HeartbeatReply heartbeat(Store& s, const std::string& owner, std::int64_t lease_ms = 10'000) {
    return answer_of<storage::HeartbeatReply>([&](auto then) { s.heartbeat({owner, lease_ms, ""}, then); });
}
inline std::vector<storage::RunRow> list(Store& s, storage::Filter filter = {}) {
    return answer_of<std::vector<storage::RunRow>>([&](auto then) { s.list(std::move(filter), then); });
}
inline storage::Survey survey(Store& s) {
    return answer_of<storage::Survey>([&](auto then) { s.survey(then); });
}
inline std::uint64_t prune(Store& s, storage::Filter filter = {}) {
    return answer_of<std::uint64_t>([&](auto then) { s.prune(std::move(filter), then); });
}
/// A store of which an engine of another process sends a heartbeat before each batch.
class BeatingStore final : public MemoryStore {
public:
    using MemoryStore::MemoryStore;
    void append(Batch batch, Then<AppendReply> then) override {
        if (beats-- > 0) heartbeat({"worker", 10'000, ""}, [](const std::exception_ptr&, const HeartbeatReply&) {});
        MemoryStore::append(std::move(batch), std::move(then));
    }
    int beats = 1'000'000;  // the heartbeats to come
};
inline storage::RunRow row(Store& s, const std::string& id) { return list(s, {.ids = {id}}).at(0); }

/// Returns the code and the sentence of the Error that a call throws.
struct Refusal {
    Code code;
    std::string sentence;
};
template <class Call> Refusal refusal(Call call) {
    try {
        call();
    } catch (const Error& e) { return {e.code(), e.what()}; }
    FAIL("nothing was refused");
    return {};
}

/// Returns ticks from a number on, each checksum chained to the one before.
inline std::vector<storage::StoredTick> ticks(std::uint64_t from, const std::vector<std::string>& bodies,
                                              std::uint64_t before = 0) {
    std::vector<storage::StoredTick> made;
    for (auto& body : bodies) {
        before = storage::chained_sum(before, from, body);
        made.push_back({from++, body, before});
    }
    return made;
}
inline storage::NewRun run_of(const std::string& id, const std::string& owner = "ann") {
    storage::NewRun run;
    run.id = id;
    run.plan = {.hash = "h1", .workflow = "refund", .plan = "{}"};
    run.options = "{\"model\":\"m\"}";
    run.owner = owner;
    run.ticks = ticks(0, {"start of " + id});
    return run;
}
/// Returns a batch with the next ticks of a run.
inline storage::Batch batch_of(Store& s, const std::string& id, const std::vector<std::string>& bodies) {
    auto history = load(s, id);
    storage::Batch batch;
    batch.run = id;
    batch.epoch = history.run.epoch;
    batch.seq = history.run.next_seq;
    batch.ticks = ticks(batch.seq, bodies, history.ticks.empty() ? 0 : history.ticks.back().sum);
    return batch;
}
inline storage::RunRelease left(RunStatus status, std::string outcome = "", std::uint64_t mail = 0) {
    return {.status = status, .wake_at = {}, .outcome = std::move(outcome), .mail = mail};
}
inline std::vector<std::string> bodies(const storage::History& history) {
    std::vector<std::string> found;
    for (auto& tick : history.ticks) found.push_back(tick.body);
    return found;
}
inline storage::LogEntries entries_of(const std::string& run, std::uint64_t from,
                                      const std::vector<std::string>& bodies, std::uint64_t epoch = 1) {
    storage::LogEntries made{.run = run, .epoch = epoch, .entries = {}};
    for (auto& body : bodies) made.entries.push_back({from++, body});
    return made;
}
/// Returns the bodies, if the numbers are consecutive from `from`.
inline std::vector<std::string> bodies(const storage::LogPart& part, std::uint64_t from = 0) {
    std::vector<std::string> found;
    for (auto& entry : part.entries) {
        CHECK(entry.number == from++);
        found.push_back(entry.body);
    }
    return found;
}

struct Folder {
    std::string path;
    Folder() {
        auto name = test::memory_folder() + "/weft_store_XXXXXX";  // the cost of a sync is not tested
        path = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name = "weft.db") const { return path + "/" + name; }
};
}
