// What the tests of stores share: a call that waits for its answer, runs and batches to store, a folder that goes away.
#pragma once
#include "engine/error.hpp"
#include "engine/store.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <future>
#include <memory>
#include <unistd.h>

namespace stores {
using namespace weft;
using namespace weft::storage;

/// get<Created>([&](auto then) { store.create(run, then); }): the answer, or its exception.
template <class T, class Call> T get(Call call) {
    auto promise = std::make_shared<std::promise<T>>();
    auto answer = promise->get_future();
    call([promise](std::exception_ptr error, T value) {
        if (error) promise->set_exception(error);
        else promise->set_value(std::move(value));
    });
    return answer.get();
}
inline storage::Created create(Store& s, storage::NewRun run) {
    return get<storage::Created>([&](auto then) { s.create(std::move(run), then); });
}
inline storage::Appended append(Store& s, storage::Batch batch) {
    return get<storage::Appended>([&](auto then) { s.append(std::move(batch), then); });
}
inline storage::History load(Store& s, const std::string& run, std::uint64_t from = 0) {
    return get<storage::History>([&](auto then) { s.load(run, then, from); });
}
inline storage::StoredPlan plan(Store& s, const std::string& hash) {
    return get<storage::StoredPlan>([&](auto then) { s.plan(hash, then); });
}
inline storage::Sent send(Store& s, const std::string& run, const std::string& id, const std::string& body = "{}") {
    return get<storage::Sent>([&](auto then) { s.send({run, id, body}, then); });
}
inline std::vector<storage::RunRow> claim(Store& s, storage::Claim claim) {
    return get<std::vector<storage::RunRow>>([&](auto then) { s.claim(std::move(claim), then); });
}
inline storage::Pulse beat(Store& s, const std::string& owner, std::int64_t lease_ms = 10'000) {
    return get<storage::Pulse>([&](auto then) { s.beat({owner, lease_ms, ""}, then); });
}
inline std::vector<storage::RunRow> list(Store& s, storage::Filter filter = {}) {
    return get<std::vector<storage::RunRow>>([&](auto then) { s.list(std::move(filter), then); });
}
inline std::uint64_t prune(Store& s, storage::Filter filter = {}) {
    return get<std::uint64_t>([&](auto then) { s.prune(std::move(filter), then); });
}
inline storage::RunRow row(Store& s, const std::string& id) { return list(s, {.ids = {id}}).at(0); }

/// The code of the Error that a call ends in, and its sentence.
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

/// Ticks from a number on, their sums chained to the one before.
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
/// The next ticks of a run, after those that it has.
inline storage::Batch batch_of(Store& s, const std::string& id, const std::vector<std::string>& bodies) {
    auto history = load(s, id);
    storage::Batch batch;
    batch.run = id;
    batch.epoch = history.run.epoch;
    batch.seq = history.run.next_seq;
    batch.ticks = ticks(batch.seq, bodies, history.ticks.empty() ? 0 : history.ticks.back().sum);
    return batch;
}
inline storage::Left left(RunStatus status, std::string outcome = "", std::uint64_t mail = 0) {
    return {.status = status, .wake_at = {}, .outcome = std::move(outcome), .mail = mail};
}
inline std::vector<std::string> bodies(const storage::History& history) {
    std::vector<std::string> found;
    for (auto& tick : history.ticks) found.push_back(tick.body);
    return found;
}

struct Folder {
    std::string path;
    Folder() {
        // In memory where there is such a folder: what a sync costs is not what is tested.
        const bool has_memory = ::access("/dev/shm", W_OK) == 0;
        auto name = (has_memory ? std::string("/dev/shm") : std::filesystem::temp_directory_path().string()) +
                    "/weft_store_XXXXXX";
        path = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name = "weft.db") const { return path + "/" + name; }
};
}
